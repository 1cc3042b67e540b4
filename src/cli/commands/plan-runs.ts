import { resolve } from "node:path";
import { type Counts, describeCounts, showCount, showInteger, showLines } from "../../model/counts.ts";
import { EXIT, exitCode, placeOf } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord, showText } from "../../model/text.ts";
import { doubtSteps, stepsOfDoubt } from "../../report/advice.ts";
import type { OptionValues } from "../../options/table.ts";
import {
  abandonLost,
  abandonPlan,
  closePlan,
  type PlanClosing,
  dropHold,
  lostInputs,
} from "../../push/close-plan.ts";
import { type ShardSum, sumShards, totalOf } from "../../push/sum-shards.ts";
import { findClosing, shardWords } from "../../shards/open-shard.ts";
import { findPlan, readPlan, type ShardPlan } from "../../shards/shard-plan.ts";
import type { PlanHold } from "../../store/book-entries.ts";
import { bookOf, listHolds } from "../../store/find-books.ts";
import type { RunPlace } from "../../store/close-finished.ts";
import { waysToSay } from "../../store/journal.ts";
import { openStateDirectory, type StateDirectory } from "../../store/state-directory.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { say } from "../say.ts";
import { withTableLock } from "../session.ts";

/** The options of the command, and whether it gives the plan up. */
type PlanValues = OptionValues & { readonly isGivenUp: boolean };

/**
 * `rec-push runs --plan DIR`: adds up the shards of a plan; once all are settled, closes it into the ledger and frees the
 * table. `runs abandon --plan DIR` gives it up.
 */
export async function runPlanRuns(values: PlanValues, io: Io): Promise<number> {
  const directory = resolve(io.cwd, values.plan ?? ".");
  const state = await openStateDirectory(stateRoot(values, io));
  const held = (await listHolds(state)).find((hold) => hold.directory === directory);
  if (held === undefined) return tellUnheld(values, directory, state, io);
  const drain = new AbortController().signal;
  return withTableLock(state, held, values.waitLock ?? 0, drain, async (lock) => {
    // Another command may have closed the plan in the meantime.
    const { hold } = await bookOf(state, held);
    if (hold?.plan !== held.plan) return tellUnheld(values, directory, state, io);
    if (await dropHold({ state, lock }, hold)) {
      const text = `the plan ${hold.plan} was cut off before it was in force: nothing of it was sent, and the table ${showText(hold.table)} is free`;
      say(
        { event: "plan", plan: hold.plan, directory, table: hold.table, state: "cancelled" },
        [text],
        values,
        io,
      );
      return EXIT.ok;
    }
    const plan = await findPlan(directory).catch((error: unknown) => {
      // To give a plan up, it need not be readable.
      if (values.isGivenUp && error instanceof RecPushError && error.code === "plan-damaged")
        return undefined;
      throw error;
    });
    if (plan?.plan !== hold.plan) return loseOrRefuse(hold, { state, lock }, values, io);
    return work({ plan, directory, state, lock, hold }, values, io);
  });
}

async function work(closing: PlanClosing, values: PlanValues, io: Io): Promise<number> {
  const { plan, directory } = closing;
  const how = await findClosing(directory);
  // Giving up was cut off once: it is finished now.
  if (how === "abandoned" || (values.isGivenUp && how === undefined)) {
    await abandonPlan(closing);
    return tellAbandonedPlan({ plan, sums: await sumShards(plan, directory) }, values, io);
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

async function loseOrRefuse(hold: PlanHold, place: RunPlace, values: PlanValues, io: Io): Promise<number> {
  if (!values.isGivenUp)
    throw new RecPushError(
      "shard-lost",
      `the plan ${hold.plan} holds the table ${hold.table}, and is lost from ${hold.directory}: it is not known what its shards created`,
      {
        hint: `restore that directory from a backup, then run the same command again\nor, once no shard of it runs on any machine, give the plan up (rec-push runs abandon --plan ${quoteWord(hold.directory)}): its creates count as in doubt`,
      },
    );
  const lost = await abandonLost(place, hold);
  const lines = [`the plan ${hold.plan} is given up, and the table ${hold.table} is free`];
  const next: string[] = [];
  for (const { run, file, prints } of lost) {
    const { doubtful, doubt = "" } = prints;
    lines.push(
      `  ${showCount(doubtful, "create")} of ${showText(file)} ${doubtful === 1 ? "is" : "are"} in doubt: check in the service whether they are there`,
    );
    // No part of it is left to be sent.
    const doubts = [{ records: doubtful, isRefused: false }];
    const steps = doubtSteps({ called: run, doubt, doubts, inputNow: "gone" });
    for (const step of steps) lines.push(`  Next: ${step}`);
    next.push(...steps);
  }
  const inDoubt = lost.reduce((sum, { prints }) => sum + prints.doubtful, 0);
  say({ event: "abandoned", plan: hold.plan, inDoubt, next }, lines, values, io);
  return EXIT.ok;
}

/** A plan that holds nothing: it is closed, or its table is held in another state directory. */
async function tellUnheld(
  values: PlanValues,
  directory: string,
  state: StateDirectory,
  io: Io,
): Promise<number> {
  const plan = await readPlan(directory);
  const how = await findClosing(directory);
  const sums = await sumShards(plan, directory);
  if (how === undefined)
    throw new RecPushError(
      "no-plan",
      `the plan ${plan.plan} is open, and ${state.root} does not know it: its table is held in ${plan.stateRoot}`,
      { hint: `run this command where the plan was made, or with --state-dir ${quoteWord(plan.stateRoot)}` },
    );
  if (how === "abandoned") return tellAbandonedPlan({ plan, sums }, values, io);
  if (values.isGivenUp)
    throw new RecPushError("plan-closed", `the plan ${plan.plan} is closed: nothing is left to give up`);
  tellShards({ plan, directory, sums, how: "closed" }, values, io);
  return codeOf(sums);
}

/** A plan with its shards added up. */
interface Told {
  readonly plan: ShardPlan;
  readonly directory: string;
  readonly sums: readonly ShardSum[];
  readonly how: "open" | "closed";
}

/** Says how the shards of a plan are, and what is left to do. */
function tellShards(told: Told, values: PlanValues, io: Io): void {
  const { plan, directory, sums, how } = told;
  const counts = totalOf(sums);
  for (const { shard, state, counts, rows, summary, reason, runs } of values.json === true ? sums : []) {
    const about = { plan: plan.plan, shard, of: plan.shards, state, rows, ...counts };
    const ended = { exitCode: summary?.exitCode, reason, runs: runs.map(({ run }) => run) };
    say(
      { event: "shard", ...about, ...ended, inDoubtAt: doubtsOf(plan, runs), next: nextOf(told, shard) },
      [],
      values,
      io,
    );
  }
  const states = [...new Set(sums.map(({ state }) => state))]
    .map((state) => `${showInteger(sums.filter((sum) => sum.state === state).length)} ${state}`)
    .join(", ");
  const rows = sums.reduce((sum, one) => sum + one.rows, 0);
  const lines = [
    `${plan.plan}  ${how}  ${plan.inputs.map(({ file }) => showText(file)).join(", ")} -> ${showText(plan.table)} at ${showText(plan.target.url)}`,
    `  ${showCount(plan.shards, "shard")}: ${states}`,
    `  ${showCount(rows, "row")}: ${became(counts)}`,
    ...sums.flatMap((sum) => describeShard(told, sum)),
    how === "closed"
      ? `  what was created is in the ledger, and the table ${showText(plan.table)} is free`
      : `  the table ${showText(plan.table)} is held until all are settled; then run this command again`,
    ...(how === "open" ? [] : rejectSteps(sums)),
  ];
  const about = { plan: plan.plan, directory, table: plan.table, shards: plan.shards, state: how };
  say({ event: "plan", ...about, ...counts }, lines, values, io);
}

/** Says that a plan is given up, and where the rows to mend are. */
function tellAbandonedPlan({ plan, sums }: Pick<Told, "plan" | "sums">, values: PlanValues, io: Io): number {
  const counts = totalOf(sums);
  const lost = lostInputs(plan, sums);
  const lines = [
    `the plan ${plan.plan} is given up, and the table ${showText(plan.table)} is free; ${became(counts)}: a later push leaves out what was created, and what may have been`,
    ...rejectSteps(sums),
    ...(lost.length === 0
      ? []
      : [
          `it is not known which records without key it created; no more are created in the table until you say so:\n${waysToSay(lost)}`,
        ]),
  ];
  const about = { plan: plan.plan, ...counts, rejects: filesToMend(sums) };
  say({ event: "abandoned", ...about }, lines, values, io);
  return EXIT.ok;
}

function became(counts: Counts): string {
  return describeCounts(counts) || "none";
}

/** The places of what the runs of a shard have in doubt. */
function doubtsOf({ inputs }: ShardPlan, runs: ShardSum["runs"]) {
  return runs.flatMap(({ input, summary }) =>
    (summary?.doubts ?? []).map((doubt) => placeOf({ file: inputs[input]!.file }, doubt)),
  );
}

/** A shard that is not settled. */
function describeShard(
  told: Told,
  { shard, state, counts, summary, reason, runs }: ShardSum,
): readonly string[] {
  if (state === "settled") return [];
  const { exitCode, running } = summary ?? {};
  const at = running === undefined ? "" : `, pid ${running.pid} on ${running.host}`;
  const why = [exitCode === undefined ? "" : `exit ${exitCode}`, reason].filter((text) => text !== "");
  return [
    `  shard ${shard}/${told.plan.shards}: ${state}${at}; ${became(counts)}`,
    ...(running !== undefined || why.length === 0 ? [] : [`    ${showText(why.join(": "), 300)}`]),
    ...doubtsOf(told.plan, runs).map(
      ({ file, kind, rows, first, last }) =>
        `    in doubt: ${showCount(rows, kind)} in ${showText(file)}, ${showLines(first, last)}`,
    ),
    ...nextOf(told, shard).map((step) => `    Next: ${step}`),
  ];
}

function nextOf({ plan, directory, sums }: Told, shard: number): readonly string[] {
  const { state, runs } = sums[shard - 1]!;
  const words = shardWords({ plan, directory, shard });
  const inDoubt = runs.flatMap(({ input, summary }) =>
    summary === undefined || summary.doubts.length === 0 ? [] : [{ input, summary }],
  );
  const doubt = inDoubt.flatMap(({ input, summary }) => {
    const whose = inDoubt.length === 1 ? {} : { they: `those of ${showText(plan.inputs[input]!.file, 400)}` };
    return stepsOfDoubt(summary, { called: words, ...whose });
  });
  switch (state) {
    case "settled":
      return [];
    case "running":
      return ["wait until it has ended"];
    case "waiting":
      return [`rec-push push ${words}`];
    case "unfinished":
      return [`rec-push push ${words} sends the rest`, ...doubt];
    case "unsettled":
      return doubt;
    case "lost":
      return [
        "restore its state from a backup",
        `or give the plan up once its other shards are settled: rec-push runs abandon --plan ${quoteWord(directory)}`,
      ];
  }
}

function rejectSteps(sums: readonly ShardSum[]): readonly string[] {
  const files = filesToMend(sums).map((path) => showText(path, 400));
  if (files.length === 0) return [];
  return [`  Next: mend the rows rejected or refused, and push them; they are in ${files.join(", ")}`];
}

function filesToMend(sums: readonly ShardSum[]): readonly string[] {
  return sums.flatMap(({ runs }) => runs.flatMap(({ rejectsFiles }) => rejectsFiles));
}
