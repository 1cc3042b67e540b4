import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BenchRun, pushOnce, type PushResult, usagesOf } from "./bench-run.ts";
import { provideInput, removeInput } from "./inputs.ts";
import { measure } from "./measure.ts";
import { recPush } from "./peers.ts";
import { atMost, median, medianOfKnown, type PeerResult, type ScenarioResult, summarise } from "./result.ts";
import { type Sink, startSink } from "./sink-process.ts";

const MAX_RATIO = 1.4;
const MAX_PEAK_MB = 220;
const MAX_BYTES_A_RECORD = 24;

/** How records are told apart: by a column, or as a whole. */
const IDENTITIES = ["num_commande", "record"] as const;

/** The cost of asking the ledger which creates are new: pushes of creates with an empty ledger and with a large one. */
export async function runLedger(run: BenchRun): Promise<ScenarioResult> {
  // One sink for all, because a ledger belongs to one address.
  const sink = await startSink({});
  const bases: string[] = [];
  try {
    const results = [await pushUpdates(sink, run)];
    const targets = [];
    const notes = [];
    const millions = `${run.ledgerRows.toLocaleString("en")} in the ledger`;
    for (const identity of IDENTITIES) {
      const base = await mkdtemp(join(run.directory, "ledger-"));
      bases.push(base);
      await fill(base, identity, sink, run);
      const [empty, full] = await pushCreates(base, identity, sink, run);
      const by = `by ${identity}`;
      results.push(
        summarise(`creates ${by}, none in the ledger`, usagesOf(empty)),
        summarise(`creates ${by}, ${millions}`, usagesOf(full)),
      );
      const bytes = (await sizeOf(base)) / run.ledgerRows;
      notes.push(`${by}: ${bytes.toFixed(4)} bytes a record in the ledger`);
      targets.push(
        atMost(
          `creates ${by}, ${millions}: processor time of that with an empty one`,
          costOf(full) / costOf(empty),
          MAX_RATIO,
        ),
        atMost(
          `creates ${by}, ${millions}: peak memory`,
          medianOfKnown(full.map(({ usage }) => usage.peakMb)),
          MAX_PEAK_MB,
          { unit: "MB" },
        ),
        // The line in which a ledger's file describes itself is no record.
        atMost(`${by}: size of a record in the ledger`, Math.floor(bytes), MAX_BYTES_A_RECORD, {
          unit: "bytes",
        }),
      );
    }
    return {
      name: "ledger",
      title: `Creates against the ledger, local sink: ${run.rows.toLocaleString("en")} rows`,
      peers: results,
      targets,
      notes,
    };
  } finally {
    for (const base of bases) await rm(base, { recursive: true, force: true });
    await sink.stop();
  }
}

async function pushUpdates(sink: Sink, run: BenchRun): Promise<PeerResult> {
  run.tell("updates");
  const input = await provideInput(run.directory, "csv", run.rows, { keys: "all" });
  return summarise("updates", [(await pushOnce(recPush(), input, sink, run)).usage]);
}

/** Adds the ledger's records in files as large as the input, as created. */
async function fill(base: string, identity: string, sink: Sink, run: BenchRun): Promise<void> {
  for (let before = 0; before < run.ledgerRows; before += run.rows) {
    run.tell(`${before} of ${run.ledgerRows} in the ledger`);
    const rows = Math.min(run.rows, run.ledgerRows - before);
    const input = await provideInput(run.directory, "csv", rows, { keys: "none", before });
    const { file, args, ...more } = recPush(...exportsBy(identity)).command({
      input,
      url: sink.url,
      node: run.node,
      scratch: base,
    });
    const [program = "", ...rest] = args;
    await measure({ file, args: [program, "ledger", "add", ...rest], ...more });
    if (!run.isKept) await removeInput(input);
  }
}

/** Rounds of a push with an empty ledger and one with the filled one, one after the other. */
async function pushCreates(
  base: string,
  identity: string,
  sink: Sink,
  run: BenchRun,
): Promise<readonly [empty: readonly PushResult[], full: readonly PushResult[]]> {
  const input = await provideInput(run.directory, "csv", run.rows, { keys: "none", before: run.ledgerRows });
  const peer = recPush(...exportsBy(identity));
  const empty: PushResult[] = [];
  const full: PushResult[] = [];
  for (let round = 1; round <= run.rounds; round += 1) {
    run.tell(`round ${round} of ${run.rounds}: by ${identity}`);
    empty.push(await pushOnce(peer, input, sink, run));
    full.push(await pushOnce(peer, input, sink, run, base));
  }
  if (empty.some(({ report }, at) => report.bytes !== full[at]?.report.bytes))
    throw new Error("with creates in the ledger other records were sent than without");
  return [empty, full];
}

function exportsBy(identity: string): readonly string[] {
  return ["--exports", "full", "--identify-by", identity];
}

/** Processor time if it is known: a disk that is slow for a moment is no cost of the ledger. */
function costOf(pushes: readonly PushResult[]): number {
  return (
    medianOfKnown(pushes.map(({ usage }) => usage.cpuSeconds)) ??
    median(pushes.map(({ usage }) => usage.seconds))
  );
}

/** Bytes of the books and prints below a state directory. */
async function sizeOf(base: string): Promise<number> {
  const tables = join(base, "rec-push", "tables");
  let bytes = 0;
  for (const file of await readdir(tables, { recursive: true })) {
    const found = await stat(join(tables, file));
    if (found.isFile()) bytes += found.size;
  }
  return bytes;
}
