import { type BenchRun, pushOnce } from "./bench-run.ts";
import { type BenchInput, type InputFormat, provideInput, removeInput } from "./inputs.ts";
import type { Usage } from "./measure.ts";
import { type Peer, postMany, recPush } from "./peers.ts";
import {
  atMost,
  type PeerResult,
  type ScenarioResult,
  type TargetResult,
  summarise,
  times,
} from "./result.ts";
import { startSink } from "./sink-process.ts";

const MAX_PEAK_MB = 220;
const MAX_GROWTH = 1.1;
const MOST_PUSHES = 3;

/** The rows for which the smallest program is measured, as multiples of the usual ones. */
const FLOOR_ROWS = [1, 5, 20];

/**
 * Peak memory and time for two numbers of rows, one five times the other. Beside it a program that only posts as many bodies
 * shows how much V8 adds by itself: it doubles its part for new objects as the objects of later requests come.
 */
export async function runMemory(run: BenchRun): Promise<ScenarioResult> {
  const peers: PeerResult[] = [];
  const targets: TargetResult[] = [];
  for (const format of ["csv", "semicolon", "json", "ndjson", "xlsx"] as const) {
    // A sheet has 1,048,576 rows at most.
    const [few, many] = format === "xlsx" ? [run.rows / 5, run.rows] : [run.rows, run.largeRows];
    const usual = await pushFormat(format, few, run);
    const large = await pushFormat(format, many, run);
    peers.push(usual, large);
    const peaks = [usual.peakMb, large.peakMb].filter((peak) => peak !== undefined);
    const highest = peaks.length === 0 ? undefined : Math.max(...peaks);
    targets.push(
      atMost(`${format}: peak memory`, highest, MAX_PEAK_MB, { unit: "MB" }),
      atMost(`${format}: peak with five times the rows`, times(large.peakMb, usual.peakMb), MAX_GROWTH),
    );
  }
  for (const multiple of FLOOR_ROWS) {
    const rows = run.rows * multiple;
    peers.push(await pushAll(postMany, { format: "csv", file: "", rows, bytes: 0 }, run));
  }
  return {
    name: "memory",
    title: `Peak memory and time by rows, local sink, medians of ${pushesOf(run)}`,
    peers,
    targets,
    notes: [],
  };
}

async function pushFormat(format: InputFormat, rows: number, run: BenchRun): Promise<PeerResult> {
  const input = await provideInput(run.directory, format, rows);
  try {
    const result = await pushAll(recPush(), input, run);
    return { ...result, who: `rec-push, ${format}, ${showRows(rows)}` };
  } finally {
    if (rows > run.rows && !run.isKept) await removeInput(input);
  }
}

async function pushAll(peer: Peer, input: BenchInput, run: BenchRun): Promise<PeerResult> {
  const usages: Usage[] = [];
  for (let push = 1; push <= pushesOf(run); push += 1) {
    run.tell(`${push} of ${pushesOf(run)}: ${peer.who}, ${input.format}, ${showRows(input.rows)}`);
    const sink = await startSink({});
    try {
      usages.push((await pushOnce(peer, input, sink, run)).usage);
    } finally {
      await sink.stop();
    }
  }
  return summarise(`${peer.who}, ${showRows(input.rows)}`, usages);
}

function pushesOf({ rounds }: BenchRun): number {
  return Math.min(MOST_PUSHES, Math.ceil(rounds / 2));
}

function showRows(rows: number): string {
  return `${rows.toLocaleString("en")} rows`;
}
