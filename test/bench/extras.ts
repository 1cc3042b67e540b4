import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BenchRun, pushOnce, type PushResult, usagesOf } from "./bench-run.ts";
import { type BenchInput, provideInput } from "./inputs.ts";
import { type Peer, recPush } from "./peers.ts";
import { atMost, type ScenarioResult, summarise, times } from "./result.ts";
import { startSink } from "./sink-process.ts";

const MAX_RATIO = 1.3;

/** The same rows with one more thing to do. */
interface Extra {
  readonly what: string;
  readonly peer: Peer;
  readonly input: BenchInput;
  /** How many records fewer than the plain push it sends. */
  readonly fewer: number;
}

/** The cost of one more thing to do, compared with a plain push. */
export async function runExtras(run: BenchRun): Promise<ScenarioResult> {
  const plain = await provideInput(run.directory, "csv", run.rows);
  const broken = await provideBroken(plain);
  try {
    const extras = await listExtras(plain, broken, run);
    const pushes = new Map<Extra, PushResult[]>(extras.map((extra) => [extra, []]));
    for (let round = 1; round <= run.rounds; round += 1) {
      for (const [extra, results] of pushes) {
        run.tell(`round ${round} of ${run.rounds}: ${extra.what}`);
        const sink = await startSink({});
        try {
          results.push(await pushOnce(extra.peer, extra.input, sink, run));
        } finally {
          await sink.stop();
        }
      }
    }
    checkBytes([...pushes]);
    const results = [...pushes].map(([{ what }, of]) => summarise(what, usagesOf(of)));
    const [base, ...others] = results;
    return {
      name: "extras",
      title: `CSV with one thing more to do, local sink: ${run.rows.toLocaleString("en")} rows`,
      peers: results,
      targets: others.map(({ who, seconds, cpuSeconds }) =>
        atMost(`${who}: time of the plain default`, times(seconds, base?.seconds), MAX_RATIO, {
          byCpu: times(cpuSeconds, base?.cpuSeconds),
        }),
      ),
      notes: [],
    };
  } finally {
    await rm(broken.file, { force: true });
  }
}

async function listExtras(plain: BenchInput, broken: BenchInput, run: BenchRun): Promise<readonly Extra[]> {
  const half = Math.round(run.rows / 2);
  const first = await provideInput(run.directory, "csv", half);
  const second = await provideInput(run.directory, "csv", run.rows - half, { before: half });
  const both = { ...first, more: [second.file], rows: run.rows };
  const skipping = recPush("--on-invalid", "skip");
  return [
    { what: "plain default", peer: recPush(), input: plain, fewer: 0 },
    { what: "two files of half the rows", peer: recPush(), input: both, fewer: 0 },
    { what: "--on-repeat last", peer: recPush("--on-repeat", "last"), input: plain, fewer: 0 },
    {
      what: "one invalid row, skipped",
      peer: { ...skipping, command: (job) => ({ ...skipping.command(job), exit: 4 }) },
      input: broken,
      fewer: 1,
    },
    { what: "--results", peer: recPush("--results", "results.csv"), input: plain, fewer: 0 },
  ];
}

/** The same file, but one amount in the middle holds a letter. */
async function provideBroken(plain: BenchInput): Promise<BenchInput> {
  const file = join(`${plain.file}.broken.csv`);
  await writeFile(file, await readFile(plain.file));
  const handle = await open(file, "r+");
  try {
    const around = Buffer.alloc(1000);
    const from = Math.floor(plain.bytes / 2);
    await handle.read(around, 0, around.length, from);
    await handle.write("x", from + around.indexOf(',50"') + 1);
  } finally {
    await handle.close();
  }
  return { ...plain, file };
}

/** Throws if one of them sent more or fewer records than expected; the records of the second file differ in some bytes. */
function checkBytes(pushes: readonly (readonly [Extra, readonly PushResult[]])[]): void {
  const plain = pushes[0]?.[1][0]?.report.bytes ?? 0;
  for (const [{ what, input, fewer }, results] of pushes) {
    const least = input.more === undefined ? plain - 200 * fewer : plain * 0.99;
    const most = input.more === undefined ? plain - fewer : plain * 1.01;
    const odd = results.find(({ report }) => report.bytes < least || report.bytes > most);
    if (odd !== undefined)
      throw new Error(`${what} sent ${odd.report.bytes} bytes, the plain default ${plain}`);
  }
}
