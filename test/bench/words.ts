import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BenchRun, pushOnce, type PushResult } from "./bench-run.ts";
import { type BenchInput, provideInput, writePieces } from "./inputs.ts";
import { recPush } from "./peers.ts";
import { atMost, median, medianOfKnown, type ScenarioResult, times } from "./result.ts";
import { makeRows } from "./rows.ts";
import { startSink } from "./sink-process.ts";

/** With columns that nobody declared each cell is looked at once more. */
const MAX_RATIOS = [1.4, 2] as const;

const HEADER = "Référence;Client;Créée le;Total TTC;Ville;Statut\r\n";
const CLIENTS = ["Société Générale", "Établissements Nuñez", "Dupont & Fils", "Garage de l'Étoile"];
const TOWNS = ["Nîmes", "Paris", "Orléans", "Besançon", "Lyon", "Saint-Étienne", "Nantes"];
const STATES = ["payée", "en attente", "annulée"];

/** What two of its columns are is asked if it is not said. */
const SAID = ["--map", "Référence=reference", "--map", "Total TTC=total_ttc", "--type", "total_ttc=amount"];
const TYPES = ["reference=text", "Client=text", "creee_le=date", "Ville=text", "Statut=text"];
const DECLARED = [...SAID, "--map", "Créée le=creee_le", ...TYPES.flatMap((type) => ["--type", type])];

/**
 * An export as a French program writes it, references and names instead of numbers, with its columns declared and not, beside the
 * creates of the plain export.
 */
export async function runWords(run: BenchRun): Promise<ScenarioResult> {
  const plain = await provideInput(run.directory, "csv", run.rows, { keys: "none" });
  const words = await provideWords(run.directory, run.rows);
  const ways = [
    { who: "plain export, no keys", peer: recPush(), input: plain, pushes: [] as PushResult[] },
    { who: "words, columns declared", peer: recPush(...DECLARED), input: words, pushes: [] as PushResult[] },
    {
      who: "words, --other-columns send",
      peer: recPush(...SAID, "--other-columns", "send"),
      input: words,
      pushes: [] as PushResult[],
    },
  ];
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const { who, peer, input, pushes } of ways) {
      run.tell(`round ${round} of ${run.rounds}: ${who}`);
      const sink = await startSink({});
      try {
        pushes.push(await pushOnce(peer, input, sink, run));
      } finally {
        await sink.stop();
      }
    }
  }
  const [, declared, sent] = ways;
  const bytesOf = (way: typeof sent): number | undefined => way?.pushes[0]?.report.bytes;
  if (bytesOf(declared) !== bytesOf(sent))
    throw new Error("with and without their types declared, columns were sent differently");
  const results = ways.map(({ who, pushes }) => ({
    who,
    seconds: median(pushes.map(({ usage }) => usage.seconds)),
    cpuSeconds: medianOfKnown(pushes.map(({ usage }) => usage.cpuSeconds)),
    peakMb: medianOfKnown(pushes.map(({ usage }) => usage.peakMb)),
  }));
  const [base, ...others] = results;
  return {
    name: "words",
    title: `CSV of words, local sink: ${run.rows.toLocaleString("en")} rows`,
    peers: results,
    targets: others.map(({ who, seconds, cpuSeconds }, at) =>
      atMost(`${who}: time of the plain export`, times(seconds, base?.seconds), MAX_RATIOS[at]!, {
        byCpu: times(cpuSeconds, base?.cpuSeconds),
      }),
    ),
    notes: [],
  };
}

async function provideWords(directory: string, rows: number): Promise<BenchInput> {
  const file = join(directory, `words-${rows}.csv`);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    await writePieces(`${file}.part`, linesOfWords(rows));
    await rename(`${file}.part`, file);
  }
  return { format: "semicolon", file, rows, bytes: (await stat(file)).size };
}

function* linesOfWords(rows: number): Generator<string> {
  yield HEADER;
  let index = 0;
  for (const [, order, billed, amount] of makeRows(rows, { keys: "none" })) {
    const client = `${CLIENTS[index % CLIENTS.length]} n°${index % 997}`;
    const town = TOWNS[index % TOWNS.length];
    yield `CMD-${order};${client};${billed};${amount};${town};${STATES[index % STATES.length]}\r\n`;
    index += 1;
  }
}
