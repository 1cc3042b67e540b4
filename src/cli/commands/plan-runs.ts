import { resolve } from "node:path";
import { exitCode, EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionValues } from "../../options/table.ts";
import { abandonLost, abandonPlan, closePlan, type Closing } from "../../run/close-plan.ts";
import { type ShardSum, sumShards, totalOf } from "../../run/sum-shards.ts";
import { findClosing } from "../../shards/open-shard.ts";
import { enforcePlan, findPlan, readPlan, type ShardPlan } from "../../shards/shard-plan.ts";
import { findHold, listHolds, type PlanHold } from "../../state/plan-hold.ts";
import { openStateDirectory, type StateDirectory } from "../../state/state-directory.ts";
import type { TableLock } from "../../state/table-lock.ts";
import type { Io } from "../io.ts";
import { retellShard } from "../shards/retell-shard.ts";
import { tellAbandonedPlan, tellShards, unknownCreates } from "../shards/tell-shards.ts";
import { nameState } from "../../model/name-state.ts";
import { namedState } from "../naming-state.ts";
import { stateRoot } from "../state-settings.ts";
import { withTableLock } from "../table-locking.ts";

/**
 * `rec-push runs --plan DIR`: adds up the shards of a plan; once all are settled, closes it into the ledger and frees the
 * table. `--abandon-plan` gives it up.
 */
export async function runPlanRuns(values: OptionValues, io: Io): Promise<number> {
  if (values.plan === undefined)
    throw new RecPushError(
      "usage",
      "missing-argument",
      "--abandon-plan needs --plan: which plan is given up?",
      {
        hint: "rec-push runs --plan DIR --abandon-plan",
      },
    );
  const directory = resolve(io.cwd, values.plan);
  const state = await openStateDirectory(stateRoot(values, io));
  const held = (await listHolds(state)).find((hold) => hold.directory === directory);
  if (held === undefined) return tellUnheld(values, directory, state, io);
  return underLock(held, state, values, async (lock) => {
    // Another command may have been faster.
    const hold = await findHold(state, held.url);
    if (hold?.plan !== held.plan) return tellUnheld(values, directory, state, io);
    const plan = await findHeldPlan(hold).catch(unlessGivenUp(values));
    if (plan === undefined) return loseOrRefuse(hold, state, values, io);
    return work({ plan, directory, state, lock, hold }, values, io);
  });
}

async function work(closing: Closing, values: OptionValues, io: Io): Promise<number> {
  const { plan, directory } = closing;
  const how = await findClosing(directory);
  // One that was cut off while it was given up is given up.
  if (how === "abandoned" || (values.abandonPlan === true && how === undefined)) {
    const notices = await abandonPlan(closing, retellShard(plan, directory, io));
    return tellAbandonedPlan({ plan, sums: await sumShards(plan, directory), notices }, values, io);
  }
  const sums = await sumShards(plan, directory);
  const isSettled = sums.every(({ state }) => state === "settled");
  if (isSettled || how === "settled") await closePlan(closing, sums);
  tellShards({ plan, directory, sums, how: isSettled ? "closed" : "open" }, values, io);
  return codeOf(sums);
}

/** The exit code of a plan: doubt first; a plan that is not settled holds its table, as another run does. */
function codeOf(sums: readonly ShardSum[]): number {
  const counts = totalOf(sums);
  if (sums.some(({ state }) => state === "lost")) return EXIT.fault;
  if (counts.inDoubt > 0) return EXIT.inDoubt;
  if (sums.some(({ state }) => state !== "settled")) return EXIT.locked;
  return exitCode({ counts, failure: undefined, signal: undefined });
}

/** The plan of a hold; one whose command was killed just before it was in force is put in force. */
async function findHeldPlan({ directory, plan: name }: PlanHold): Promise<ShardPlan | undefined> {
  const plan = (await findPlan(directory)) ?? (await findPlan(directory, true));
  if (plan?.plan !== name) return undefined;
  await enforcePlan(directory);
  return plan;
}

/** To give a plan up, it need not be readable. */
function unlessGivenUp({ abandonPlan: isGivenUp = false }: OptionValues): (error: unknown) => undefined {
  return (error) => {
    if (isGivenUp && error instanceof RecPushError && error.code === "plan-damaged") return undefined;
    throw error;
  };
}

async function loseOrRefuse(
  hold: PlanHold,
  state: StateDirectory,
  values: OptionValues,
  io: Io,
): Promise<number> {
  if (values.abandonPlan !== true)
    throw new RecPushError(
      "machine",
      "no-plan",
      `the plan ${hold.plan} holds the table ${hold.table}, and is lost from ${hold.directory}: it is not known what its shards created`,
      {
        hint: "restore that directory from a backup, then run the same command again\nor, once no shard of it runs on any machine, give the plan up with --abandon-plan, then say which records without key of it the service holds",
      },
    );
  const lost = await abandonLost(state, hold);
  const name = (text: string): string => nameState(text, namedState(values, io));
  io.stdout.write(
    `the plan ${hold.plan} is given up, and the table ${hold.table} is free${lost.length === 0 ? "" : `, but for creates; ${name(unknownCreates(lost))}`}\n`,
  );
  return EXIT.ok;
}

/** A plan that holds nothing: it is closed, or its table is held in another state directory. */
async function tellUnheld(
  values: OptionValues,
  directory: string,
  state: StateDirectory,
  io: Io,
): Promise<number> {
  const plan = await readPlan(directory);
  const how = await findClosing(directory);
  const sums = await sumShards(plan, directory);
  if (how === undefined)
    throw new RecPushError(
      "usage",
      "no-plan",
      `the plan ${plan.plan} is open, and ${state.root} does not know it: its table is held in ${plan.stateRoot}`,
      { hint: `run this command where the plan was made, or with --state-dir ${plan.stateRoot}` },
    );
  if (how === "abandoned") return tellAbandonedPlan({ plan, sums, notices: [] }, values, io);
  if (values.abandonPlan === true)
    throw new RecPushError(
      "usage",
      "plan-closed",
      `the plan ${plan.plan} is closed: nothing is left to give up`,
    );
  tellShards({ plan, directory, sums, how: "closed" }, values, io);
  return codeOf(sums);
}

async function underLock(
  { url, table, plan }: PlanHold,
  state: StateDirectory,
  { waitLock: waitMs = 0 }: OptionValues,
  work: (lock: TableLock) => Promise<number>,
): Promise<number> {
  const drain = new AbortController().signal;
  return withTableLock(state, { url, table, plan }, waitMs, drain, work, (failure) => {
    throw failure;
  });
}
