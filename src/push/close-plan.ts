import { join } from "node:path";
import { printRun, removePrints } from "../ledger/ledger-file.ts";
import { exitCode } from "../model/exit-code.ts";
import { findClosing, nameShard } from "../shards/open-shard.ts";
import { cancelDraft, placesOf, runNameOf, type ShardPlan } from "../shards/shard-plan.ts";
import type { BookEntry, BookRun, Closing as RunClosing, PlanHold, Prints } from "../store/book-entries.ts";
import { bookOf } from "../store/find-books.ts";
import type { RunPlace } from "../store/close-finished.ts";
import { replaceFile } from "../store/private-file.ts";
import type { RunIdentity } from "../store/run-facts.ts";
import { openStateDirectory, orCannotUse, placesIn } from "../store/state-directory.ts";
import { isOpen, loadRun } from "../store/summarise-run.ts";
import { takeTableLock, underLock } from "../store/table-lock.ts";
import { abandonOpen } from "./forget-run.ts";
import { type ShardSum, sumShards, totalOf } from "./sum-shards.ts";

/** A plan that is to be closed, and the user's state, whose lock on the table is held. */
export interface PlanClosing extends RunPlace {
  readonly plan: ShardPlan;
  readonly directory: string;
  readonly hold: PlanHold;
}

/**
 * Closes a plan whose shards are settled: the ledger gets the creates of each of their runs, the contents count as pushed,
 * the table is free. A call that is cut off is repeated by the next one, which leaves finished steps as they are.
 */
export async function closePlan(closing: PlanClosing, sums: readonly ShardSum[]): Promise<void> {
  if ((await findClosing(closing.directory)) === undefined) {
    await noteRuns(closing, sums, false);
    await markClosed(closing, "settled");
  }
  const profiles = closing.plan.inputs.flatMap(({ profile }) => profile ?? []);
  await release(closing, closing.hold, totalOf(sums).accepted > 0 ? profiles : []);
}

/**
 * Gives a plan up: no shard starts any more, records that were sent go into the ledger, and doubt stays. Throws a locked
 * error while a shard is pushed.
 */
export async function abandonPlan(closing: PlanClosing): Promise<void> {
  const { plan, directory } = closing;
  if ((await findClosing(directory)) !== "settled") {
    // First: from now on, no shard that takes its lock goes on.
    await markClosed(closing, "abandoned");
    for (let shard = 1; shard <= plan.shards; shard++) await abandonShard(closing, shard);
    await noteRuns(closing, await sumShards(plan, directory), true);
  }
  await release(closing, closing.hold);
}

/** Ends a hold, unless it has ended, and keeps the profiles of its files. */
async function release(
  { state, lock }: RunPlace,
  { plan, inputs }: PlanHold,
  profiles: readonly object[] = [],
): Promise<void> {
  const book = await bookOf(state, lock.table);
  if (book.hold?.plan !== plan) return;
  const figures = profiles.map((profile) => ({ entry: "figures", profile }) as const);
  await book.append(lock, ...figures, { entry: "released", plan });
  // The journals of its shards name their creates.
  for (const { prints } of inputs as readonly HeldInput[]) await removePrints(book.directory, prints);
}

/**
 * Ends the hold of a plan whose command was killed before the plan was in force. False if that is not certain: the plan's directory
 * cannot be read, holds something else, or the plan is in force.
 */
export async function dropHold(place: RunPlace, hold: PlanHold): Promise<boolean> {
  const isCancelled = await cancelDraft(hold.directory, hold.plan).catch(() => false);
  if (isCancelled) await release(place, hold);
  return isCancelled;
}

/** An input of a plan with creates, as the user's state records it. */
export interface HeldInput extends Pick<BookRun, "run" | "startedAt" | "file"> {
  readonly identity: RunIdentity;
  /** The prints of all its creates, each in doubt. */
  readonly prints: Prints;
}

/** Gives up a plan whose directory is lost: each of its creates counts as in doubt. Returns the inputs that have some. */
export async function abandonLost({ state, lock }: RunPlace, hold: PlanHold): Promise<readonly HeldInput[]> {
  const inputs = hold.inputs as readonly HeldInput[];
  const book = await bookOf(state, lock.table);
  const entries = inputs.flatMap(({ identity, prints, run, ...about }): BookEntry[] => {
    const closing = { hasCreates: false, isAbandoned: true, prints } as const;
    return [
      beginOf({ ...about, run, hasCreates: true, plan: hold.directory }, identity),
      { entry: "close", run, at: new Date().toISOString(), ...closing },
    ];
  });
  await book.append(lock, ...entries, { entry: "released", plan: hold.plan });
  return inputs;
}

/** A content of a plan in the book. Until it is closed, the creates of its shards are uncertain. */
function beginOf(
  about: Omit<BookRun, "content" | "dbVersion" | "runKey">,
  { content, dbVersion, runKey }: RunIdentity,
): BookEntry {
  return { entry: "begin", ...about, content, dbVersion, runKey };
}

/** The names of the inputs for which shards have lost their state, so that their creates are uncertain. */
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

async function abandonShard({ plan, directory }: PlanClosing, shard: number): Promise<void> {
  const state = await openStateDirectory(placesOf(directory).shard(shard));
  await underLock(state, plan.target, nameShard({ plan, shard }), async (lock) => {
    for (const input of plan.inputs.keys()) {
      // A damaged journal is reported as lost.
      const stored = await loadRun(state, runNameOf(plan.plan, shard, input)).catch(() => undefined);
      if (stored !== undefined && isOpen(stored)) await abandonOpen({ state, lock }, stored);
    }
  });
}

async function noteRuns(closing: PlanClosing, sums: readonly ShardSum[], isGivenUp: boolean): Promise<void> {
  const { plan, state, lock } = closing;
  const { refused, failed, inDoubt, rejected, notSent } = totalOf(sums);
  // The files may come again with the rows of any shard.
  const leavesRows = isGivenUp || refused + failed + inDoubt + rejected + notSent > 0;
  const book = await bookOf(state, lock.table);
  const entries: BookEntry[] = [];
  for (const [input, { file, content, leftOut }] of plan.inputs.entries()) {
    const identity = { content, ...plan.target };
    const runs = sums.flatMap((sum) => sum.runs.filter((run) => run.input === input));
    const files: Record<string, Prints> = {};
    for (const run of runs) {
      if (run.stored === undefined) continue;
      const { account, directory } = run.stored;
      const prints = await printRun(book.directory, account, join(directory, "journal"), leavesRows);
      if (prints !== undefined) files[run.run] = prints;
    }
    entries.push({ entry: "prints", files });
    const accounts = runs.flatMap(({ stored }) => stored?.account ?? []);
    // Like a run that lost its journal: each of its creates may be in the service.
    const isLost = isLostOf(plan, sums, input);
    const hasCreates = isLost || accounts.some((account) => account.hasCreates);
    const run = runNameOf(plan.plan, 0, input);
    const { startedAt } = plan;
    entries.push(beginOf({ run, startedAt, file, hasCreates, plan: closing.directory }, identity));
    // It counts as lost until the user says which creates its shards made.
    if (isLost) continue;
    const isAsked = isGivenUp || leftOut > 0 || accounts.some((account) => account.count("absent") > 0);
    const closed: RunClosing = {
      exitCode: exitCode({ counts: totalOf(sums), failure: undefined, signal: undefined }),
      hasCreates: hasCreates && !isAsked,
      toMend: refused + rejected,
      ...(isGivenUp ? { isAbandoned: true } : {}),
    };
    entries.push({ entry: "close", run, at: new Date().toISOString(), ...closed });
  }
  await book.append(lock, ...entries);
  for (const { shard } of sums) await handOnGivenUp(closing, shard, lock);
}

/** Updates that a shard gave up may land later: the next push to the table waits for them as after a run of its own. */
async function handOnGivenUp(
  { plan, directory }: PlanClosing,
  shard: number,
  lock: RunPlace["lock"],
): Promise<void> {
  const state = placesIn(placesOf(directory).shard(shard));
  const taken = await takeTableLock(state, plan.target).catch(() => undefined);
  // A shard without rows was never started.
  if (taken === undefined || !("release" in taken)) return;
  const agoMs = taken.givenUp.earlierAgoMs();
  if (agoMs !== undefined) lock.givenUp.note(plan.plan, agoMs);
  await taken.release();
}

async function markClosed({ directory }: PlanClosing, how: "settled" | "abandoned"): Promise<void> {
  const { closed } = placesOf(directory);
  const text = JSON.stringify({ how, at: new Date().toISOString() });
  await orCannotUse(closed, () => replaceFile(closed, text));
}
