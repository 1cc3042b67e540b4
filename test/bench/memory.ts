import { type BenchRun, pushOnce } from "./bench-run.ts";
import { type InputFormat, provideInput, removeInput } from "./inputs.ts";
import { recPush } from "./peers.ts";
import { atMost, type PeerResult, type ScenarioResult, type TargetResult, times } from "./result.ts";
import { startSink } from "./sink-process.ts";

const MAX_PEAK_MB = 220;
const MAX_GROWTH = 1.1;

/** Peak memory and time for two numbers of rows, one five times the other: one push for each format. */
export async function runMemory(run: BenchRun): Promise<ScenarioResult> {
  const peers: PeerResult[] = [];
  const targets: TargetResult[] = [];
  for (const format of ["csv", "semicolon", "json", "ndjson", "xlsx"] as const) {
    // A sheet has 1,048,576 rows at most.
    const [few, many] = format === "xlsx" ? [run.rows / 5, run.rows] : [run.rows, run.largeRows];
    const usual = await pushRows(format, few, run);
    const large = await pushRows(format, many, run);
    peers.push(usual, large);
    const peaks = [usual.peakMb, large.peakMb].filter((peak) => peak !== undefined);
    const highest = peaks.length === 0 ? undefined : Math.max(...peaks);
    targets.push(
      atMost(`${format}: peak memory`, highest, MAX_PEAK_MB, { unit: "MB" }),
      atMost(`${format}: peak with five times the rows`, times(large.peakMb, usual.peakMb), MAX_GROWTH),
    );
  }
  return {
    name: "memory",
    title: "Peak memory and time by rows, local sink, one push each",
    peers,
    targets,
    notes: [],
  };
}

async function pushRows(format: InputFormat, rows: number, run: BenchRun): Promise<PeerResult> {
  run.tell(`${format}, ${rows} rows`);
  const input = await provideInput(run.directory, format, rows);
  const sink = await startSink({});
  try {
    const { usage } = await pushOnce(recPush(), input, sink, run);
    return { who: `rec-push, ${format}, ${rows.toLocaleString("en")} rows`, ...usage };
  } finally {
    await sink.stop();
    if (rows > run.rows && !run.isKept) await removeInput(input);
  }
}
