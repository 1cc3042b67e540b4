import { findDoubtFile } from "../files/doubt-files.ts";
import { readKeptPlace, sizeOf } from "../files/kept-place.ts";
import type { Counts } from "../model/counts.ts";
import type { RunSummary } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { hasBegun } from "../shards/open-shard.ts";
import { placesOf, runNameOf, type ShardPlan } from "../shards/shard-plan.ts";
import { placesIn } from "../store/state-directory.ts";
import { keptOf, loadRun, type StoredRun, summariseRun } from "../store/summarise-run.ts";

/**
 * *settled*: nothing is left to do; *unsettled*: only doubt is left; *unfinished*: rows are not sent, or failed; *waiting*:
 * it has not begun; *lost*: it began, and its journal is gone or damaged.
 */
type ShardStateName = "settled" | "unsettled" | "unfinished" | "waiting" | "running" | "lost";

/** One input in a shard. */
interface ShardRun {
  readonly run: string;
  readonly input: number;
  readonly state: ShardStateName;
  readonly counts: Counts;
  /** Why it ended, or is lost. */
  readonly reason: string;
  /** `undefined` if it has not begun, or is lost; so is its summary. */
  readonly stored?: StoredRun;
  readonly summary?: RunSummary;
  /** The files with its rows to mend. */
  readonly rejectsFiles: readonly string[];
}

/** A shard, as its directory describes it. */
export interface ShardSum extends Pick<ShardRun, "state" | "reason" | "summary"> {
  readonly shard: number;
  readonly counts: Counts;
  readonly rows: number;
  readonly runs: readonly ShardRun[];
}

/** Adds up the shards of a plan, from their journals. */
export async function sumShards(plan: ShardPlan, directory: string): Promise<readonly ShardSum[]> {
  const sums: ShardSum[] = [];
  for (let shard = 1; shard <= plan.shards; shard++) sums.push(await sumShard(plan, directory, shard));
  return sums;
}

/** The rows of all shards by outcome. */
export function totalOf(sums: readonly ShardSum[]): Counts {
  return addCounts(sums.map(({ counts }) => counts));
}

const NONE: Counts = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };

function addCounts(all: readonly Counts[]): Counts {
  const names = Object.keys(NONE) as (keyof Counts)[];
  const sum = (name: keyof Counts): number => all.reduce((total, counts) => total + counts[name], 0);
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Counts;
}

/** The worst first. */
const STATES: readonly ShardStateName[] = [
  "lost",
  "running",
  "unfinished",
  "unsettled",
  "waiting",
  "settled",
];

async function sumShard(plan: ShardPlan, directory: string, shard: number): Promise<ShardSum> {
  const runs: ShardRun[] = [];
  for (const input of plan.inputs.keys()) runs.push(await sumRun(plan, directory, shard, input));
  const worst = STATES.find((name) => runs.some(({ state }) => state === name))!;
  const { reason, summary } = runs.find(({ state }) => state === worst)!;
  // Of a shard that stopped between two inputs, the second input waits.
  const isBetween = worst === "waiting" && runs.some(({ stored }) => stored !== undefined);
  return {
    shard,
    state: isBetween ? "unfinished" : worst,
    reason,
    ...(summary && { summary }),
    counts: addCounts(runs.map(({ counts }) => counts)),
    rows: plan.inputs.reduce((sum, { parts }) => sum + parts[shard - 1]!.rows, 0),
    runs,
  };
}

async function sumRun(plan: ShardPlan, directory: string, shard: number, input: number): Promise<ShardRun> {
  const run = runNameOf(plan.plan, shard, input);
  const { rows, invalid, skipped, updates, creates } = plan.inputs[input]!.parts[shard - 1]!;
  const counts = { ...NONE, rejected: invalid, skipped, notSent: updates + creates };
  const unbegun = { run, input, counts, reason: "", rejectsFiles: [] };
  try {
    const stored = await loadRun(placesIn(placesOf(directory).shard(shard)), run);
    if (stored === undefined && (await hasBegun(directory, run)))
      return { ...unbegun, state: "lost", reason: "its book is gone" };
    if (stored === undefined) return { ...unbegun, state: rows === 0 ? "settled" : "waiting" };
    const summary = { ...summariseRun(keptOf(stored)), doubtFile: await findDoubtFile(stored) };
    const { state, running, reason } = summary;
    const { path } = readKeptPlace(stored).rejects ?? {};
    const isDone = state === "finished" || state === "abandoned";
    return {
      ...unbegun,
      state: isDone ? "settled" : running === undefined ? state : "running",
      counts: summary.counts,
      reason,
      stored,
      summary,
      rejectsFiles: path === undefined || (await sizeOf(path)) === 0 ? [] : [path],
    };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return { ...unbegun, state: "lost", reason: error.message };
  }
}
