import { join } from "node:path";
import { type Profile, ProfileFile } from "../drift/sums-drift.ts";
import { rememberAdded } from "../ledger/ledger-target.ts";
import { noteLost, noteRun } from "../ledger/note-run.ts";
import { exitCode } from "../model/exit-code.ts";
import { findClosing, nameShard } from "../shards/open-shard.ts";
import { placesOf, runNameOf, type ShardPlan } from "../shards/shard-plan.ts";
import { isOpen } from "../store/close-finished.ts";
import { notePushed, type PushedContent, type RunIdentity } from "../store/run-facts.ts";
import { OpenRun } from "../store/open-run.ts";
import { type PlanHold, releaseHold } from "../store/plan-hold.ts";
import { replaceFile } from "../store/private-file.ts";
import { cannotUse, openStateDirectory, placesIn, type StateDirectory } from "../store/state-directory.ts";
import { loadRun, type StoredRun } from "../store/summarise-run.ts";
import { lockedElsewhere, type TableLock, takeTableLock } from "../store/table-lock.ts";
import { lacksRejects, type RetoldRun } from "./settle-doubt.ts";
import { type ShardRun, type ShardSum, sumShards, totalOf } from "./sum-shards.ts";

/** A plan that is to be closed, and the user's state, whose lock on the table is held. */
export interface Closing {
  readonly plan: ShardPlan;
  readonly directory: string;
  readonly state: StateDirectory;
  readonly lock: TableLock;
  readonly hold: PlanHold;
}

/**
 * Closes a plan whose shards are settled: the ledger gets the creates of each of their runs, the contents count as pushed,
 * the table is free. Whatever is cut off is done again by the next call, which changes nothing that was done.
 */
export async function closePlan(closing: Closing, sums: readonly ShardSum[]): Promise<void> {
  if ((await findClosing(closing.directory)) === undefined) {
    await noteRuns(closing, sums, false);
    await markClosed(closing, "settled");
    if (totalOf(sums).accepted > 0) await keepProfiles(closing);
  }
  await releaseHold(closing.state, closing.hold);
}

/** Brings the files of an open run of a shard up to date. */
export type RetellShard = (shard: number, input: number, stored: StoredRun) => Promise<RetoldRun>;

/**
 * Gives a plan up: no shard starts any more, what was sent goes into the ledger, what is in doubt stays so, and the rows to
 * mend that a killed process left are written. Returns why some could not be. Throws a locked error while a shard is pushed.
 */
export async function abandonPlan(closing: Closing, retell: RetellShard): Promise<readonly string[]> {
  const { plan, directory } = closing;
  const notices: string[] = [];
  const how = await findClosing(directory);
  if (how !== "settled") {
    // First: from now on, no shard that takes its lock goes on.
    await markClosed(closing, "abandoned");
    for (let shard = 1; shard <= plan.shards; shard++)
      notices.push(...(await abandonShard(closing, shard, retell)));
    await noteRuns(closing, await sumShards(plan, directory), true);
  }
  await releaseHold(closing.state, closing.hold);
  return notices;
}

/** Keeps the profiles of the plan's files, with which later files are compared. A kill may lose one, which does no harm. */
async function keepProfiles({ plan, state }: Closing): Promise<void> {
  const file = await ProfileFile.open(state, plan.target.url);
  for (const { profile } of plan.inputs) if (profile !== undefined) await file.add(profile as Profile);
}

/** An input of a plan whose directory is lost, as far as the user's state knows it. */
export interface HeldInput extends Pick<PushedContent, "run" | "startedAt" | "file" | "hasCreates"> {
  readonly identity: RunIdentity;
}

/**
 * Gives up a plan whose directory is lost: each of its creates may be in the service. Returns the names under which it is
 * known that this is not known.
 */
export async function abandonLost(state: StateDirectory, hold: PlanHold): Promise<readonly string[]> {
  const inputs = (hold.inputs as readonly HeldInput[]).filter(({ hasCreates }) => hasCreates);
  for (const { identity, ...pushed } of inputs) {
    await notePushed(state.contents, identity, { ...pushed, plan: hold.directory });
    await noteLost(state, { ...pushed, identity });
  }
  await releaseHold(state, hold);
  return inputs.map(({ run }) => run);
}

/** The names under which it is known that it is not known what shards of a plan created: their state is lost. */
export function lostInputs(plan: ShardPlan, sums: readonly ShardSum[]): readonly string[] {
  return [...plan.inputs.keys()]
    .filter((input) => isLostOf(plan, sums, input))
    .map((input) => runNameOf(plan.plan, 0, input));
}

function isLostOf({ inputs }: ShardPlan, sums: readonly ShardSum[], input: number): boolean {
  return sums.some(
    ({ state, shard, runs }) =>
      state === "lost" &&
      inputs[input]!.parts[shard - 1]!.creates > 0 &&
      runs.find((run) => run.input === input)?.stored === undefined,
  );
}

async function abandonShard(
  { plan, directory }: Closing,
  shard: number,
  retell: RetellShard,
): Promise<readonly string[]> {
  const notices: string[] = [];
  const places = placesOf(directory);
  const state = await openStateDirectory(places.shard(shard));
  const lock = await takeTableLock(state.locks, plan.target.url);
  if (!("release" in lock)) throw lockedElsewhere(nameShard({ plan, shard }), lock);
  try {
    for (const input of plan.inputs.keys()) {
      // A damaged journal is reported as lost.
      const stored = await loadRun(state, runNameOf(plan.plan, shard, input)).catch(() => undefined);
      if (stored === undefined || !isOpen(stored)) continue;
      // Once it is given up, no process of the shard writes them.
      if (await lacksRejects(stored)) notices.push((await retell(shard, input, stored)).notice ?? "");
      const run = await OpenRun.resume({ state, lock }, stored);
      try {
        await run.abandon();
      } finally {
        await run.close();
      }
    }
  } finally {
    await lock.release();
  }
  return notices.filter((text) => text !== "");
}

async function noteRuns(closing: Closing, sums: readonly ShardSum[], isGivenUp: boolean): Promise<void> {
  const { plan, state, lock } = closing;
  const { refused, failed, inDoubt, rejected, notSent } = totalOf(sums);
  // The files may come again with the rows of any shard.
  const leavesRows = isGivenUp || refused + failed + inDoubt + rejected + notSent > 0;
  for (const [input, { file, content, parts }] of plan.inputs.entries()) {
    const identity = { content, ...plan.target };
    const runs = sums.flatMap((sum) => sum.runs.filter((run) => run.input === input));
    for (const run of runs)
      if (run.stored !== undefined) await noteStored(closing, run, run.stored, leavesRows);
    const accounts = runs.flatMap(({ stored }) => stored?.account ?? []);
    // Like a run that lost its journal: each of its creates may be in the service.
    const isLost = isLostOf(plan, sums, input);
    const isAsked =
      isGivenUp ||
      parts.some(({ leftOut }) => leftOut !== undefined) ||
      accounts.some((account) => account.count("absent") > 0);
    const pushed = { run: runNameOf(plan.plan, 0, input), startedAt: plan.startedAt, file };
    if (isLost) await noteLost(state, { ...pushed, identity });
    await notePushed(state.contents, identity, {
      ...pushed,
      hasCreates: isLost || accounts.some(({ hasCreates }) => hasCreates),
      plan: closing.directory,
      refusedCreates: accounts.reduce((sum, account) => sum + account.countOf("create", "refused"), 0),
      // Until it is known what its shards created, it counts as lost.
      ...(isLost
        ? {}
        : { exitCode: exitCode({ counts: totalOf(sums), failure: undefined, signal: undefined }) }),
      ...(isGivenUp && !isLost ? { isAbandoned: true } : {}),
      ...(isAsked && !isLost ? { asksLedger: true } : {}),
    });
  }
  for (const { shard } of sums) await handOnGivenUp(closing, shard, lock);
}

async function noteStored(
  { state, lock }: Closing,
  { state: own }: ShardRun,
  stored: StoredRun,
  leavesRows: boolean,
): Promise<void> {
  const { facts, account, run } = stored;
  await rememberAdded(state, facts.identity, lock.known, () =>
    noteRun(state, facts, account, join(own.runs, run, "journal"), leavesRows),
  );
}

/** Updates that a shard gave up may land later: the next push to the table waits for them as after a run of its own. */
async function handOnGivenUp({ plan, directory }: Closing, shard: number, lock: TableLock): Promise<void> {
  const { locks } = placesIn(placesOf(directory).shard(shard));
  const taken = await takeTableLock(locks, plan.target.url).catch(() => undefined);
  // A shard without rows was never started.
  if (taken === undefined || !("release" in taken)) return;
  const agoMs = taken.givenUp.earlierAgoMs();
  if (agoMs !== undefined) lock.givenUp.note(plan.plan, agoMs);
  await taken.release();
}

async function markClosed({ directory }: Closing, how: "settled" | "abandoned"): Promise<void> {
  const { closed } = placesOf(directory);
  try {
    await replaceFile(closed, JSON.stringify({ how, at: new Date().toISOString() }));
  } catch (cause) {
    throw cannotUse(closed, cause);
  }
}
