import { findDoubtFile } from "../files/doubt-files.ts";
import { findRejects } from "../files/kept-place.ts";
import { lookAtInput } from "../files/rows-to-mend.ts";
import type { Counts } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunSummary } from "../model/run-steps.ts";
import { hasBegun } from "../shards/open-shard.ts";
import { placesOf, runNameOf, type ShardPlan } from "../shards/shard-plan.ts";
import { placesIn, type StateDirectory } from "../store/state-directory.ts";
import { loadRun, runningProcess, stateOf, type StoredRun, summariseRun } from "../store/summarise-run.ts";

/**
 * *settled*: nothing is left to do; *unsettled*: only doubt is left; *unfinished*: rows are not sent, or failed; *waiting*:
 * it has not begun; *lost*: it began, and its journal is gone or damaged.
 */
type ShardStateName = "settled" | "unsettled" | "unfinished" | "waiting" | "running" | "lost";

/** The state of one input in a shard. */
interface ShardRun {
  readonly run: string;
  readonly input: number;
  readonly state: StateDirectory;
  /** `undefined` if it has not begun, or is lost. */
  readonly stored: StoredRun | undefined;
  /** The places of its records in doubt. */
  readonly doubts: RunSummary["doubts"];
  /** The file with its rows in doubt. */
  readonly doubtFile: RunSummary["doubtFile"];
  readonly doubt: string | undefined;
  readonly inputNow?: RunSummary["inputNow"];
  /** The files with its rows to mend. */
  readonly rejectsFiles: readonly string[];
}

/** A shard as its directory says it is. */
export interface ShardSum {
  readonly shard: number;
  readonly state: ShardStateName;
  readonly counts: Counts;
  readonly rows: number;
  /** How its last process ended; `undefined` if none did in order. */
  readonly exitCode: number | undefined;
  readonly reason: string;
  readonly running: { readonly pid: number; readonly host: string } | undefined;
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
const NAMES = Object.keys(NONE) as (keyof Counts)[];

function addCounts(all: readonly Counts[]): Counts {
  const sum = (name: keyof Counts): number => all.reduce((total, counts) => total + counts[name], 0);
  return Object.fromEntries(NAMES.map((name) => [name, sum(name)])) as Counts;
}

async function sumShard(plan: ShardPlan, directory: string, shard: number): Promise<ShardSum> {
  const state = placesIn(placesOf(directory).shard(shard));
  const found = [];
  for (const input of plan.inputs.keys()) found.push(await sumRun(plan, directory, state, shard, input));
  const states = found.map((one) => one.state);
  // The worst of its inputs; those after one that stopped are waiting.
  const order: readonly ShardStateName[] = ["lost", "running", "unfinished", "unsettled"];
  const worst = order.find((name) => states.includes(name));
  const rest = states.every((name) => name === "settled")
    ? "settled"
    : states.includes("settled")
      ? "unfinished"
      : "waiting";
  const told = found.find(({ state }) => state === (worst ?? rest)) ?? found[0]!;
  return {
    shard,
    state: worst ?? rest,
    counts: addCounts(found.map(({ counts }) => counts)),
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    exitCode: told.exitCode,
    reason: told.reason,
    running: told.running,
    runs: found.map(({ run }) => run),
  };
}

async function sumRun(
  plan: ShardPlan,
  directory: string,
  state: StateDirectory,
  shard: number,
  input: number,
) {
  const run = runNameOf(plan.plan, shard, input);
  const { rows, invalid, skipped, updates, creates } = plan.inputs[input]!.parts[shard - 1]!;
  const unsent: Counts = { ...NONE, rejected: invalid, skipped, notSent: updates + creates };
  const about = { rows, counts: unsent, exitCode: undefined, reason: "", running: undefined };
  const of = (
    name: ShardStateName,
    stored?: StoredRun,
    more = {},
    ofRun: Partial<Pick<ShardRun, "doubt" | "doubts" | "doubtFile" | "inputNow" | "rejectsFiles">> = {},
  ) => ({
    ...about,
    state: name,
    ...more,
    run: {
      run,
      input,
      state,
      stored,
      doubt: undefined,
      doubts: [],
      doubtFile: undefined,
      rejectsFiles: [],
      ...ofRun,
    },
  });
  try {
    const stored = await loadRun(state, run);
    if (stored === undefined) {
      if (await hasBegun(directory, run)) return of("lost", undefined, { reason: "its journal is gone" });
      return of(rows === 0 ? "settled" : "waiting");
    }
    const running = runningProcess(stored.account);
    const { counts, exitCode, reason, doubt, doubts } = summariseRun(stored);
    const doubtFile = await findDoubtFile(stored);
    const runState = stateOf(stored.account);
    const name = runState === "finished" || runState === "abandoned" ? "settled" : runState;
    const isRunning = running !== undefined && name !== "settled";
    const inputNow = doubt === undefined ? undefined : await lookAtInput(stored);
    const rejectsFiles = await findRejects(stored);
    const more = { counts, exitCode, reason, running: isRunning ? running : undefined };
    return of(isRunning ? "running" : name, stored, more, {
      doubt,
      doubts,
      doubtFile,
      inputNow,
      rejectsFiles,
    });
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return of("lost", undefined, { reason: error.message });
  }
}
