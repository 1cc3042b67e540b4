import type { BenchRun } from "./bench-run.ts";
import { provideInput, provideText } from "./inputs.ts";
import { recPush } from "./peers.ts";
import type { ScenarioResult } from "./result.ts";
import { makeRows } from "./rows.ts";
import { type OtherWay, runWays } from "./ways.ts";

const MAX_RATIOS = { declared: 1.4, sent: 2 } as const;

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
  const words = await provideText(run.directory, `words-${run.rows}.csv`, {
    format: "semicolon",
    rows: run.rows,
    pieces: () => linesOfWords(run.rows),
  });
  const declared: OtherWay = {
    who: "words, columns declared",
    peer: recPush(...DECLARED),
    input: words,
    maxRatio: MAX_RATIOS.declared,
  };
  // Each cell is looked at once more for what its column may be.
  const sent: OtherWay = {
    who: "words, --other-columns send",
    peer: recPush(...SAID, "--other-columns", "send"),
    input: words,
    maxRatio: MAX_RATIOS.sent,
  };
  const { result, pushes } = await runWays(
    run,
    { name: "words", title: `CSV of words, local sink: ${run.rows.toLocaleString("en")} rows` },
    { who: "plain export, no keys", peer: recPush(), input: plain },
    [declared, sent],
  );
  const bytesOf = (way: OtherWay): number | undefined => pushes.get(way)?.[0]?.report.bytes;
  if (bytesOf(declared) !== bytesOf(sent))
    throw new Error("with and without their types declared, columns were sent differently");
  return result;
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
