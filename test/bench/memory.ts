import { type BenchRun, pushOnce } from "./bench-run.ts";
import { type InputFormat, provideInput, removeInput } from "./inputs.ts";
import { recPush } from "./peers.ts";
import { atMost, type PeerResult, type ScenarioResult, type TargetResult } from "./result.ts";
import { startSink } from "./sink-process.ts";

const MAX_PEAK_MB = 250;
const MAX_GROWTH = 1.15;

/** Peak memory and time at the usual and at the large number of rows, one push for each format. */
export async function runMemory(run: BenchRun): Promise<ScenarioResult> {
  const peers: PeerResult[] = [];
  const targets: TargetResult[] = [];
  for (const format of ["csv", "semicolon", "json", "ndjson"] as const) {
    const usual = await pushRows(format, run.rows, run);
    const large = await pushRows(format, run.largeRows, run);
    peers.push(usual, large);
    const { peakMb } = large;
    targets.push(...atMost(`${format}: peak under ${MAX_PEAK_MB} MB`, peakMb, MAX_PEAK_MB));
    if (peakMb !== undefined && usual.peakMb !== undefined) {
      targets.push(
        ...atMost(`${format}: peak at most 15 % higher with more rows`, peakMb / usual.peakMb, MAX_GROWTH),
      );
    }
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
