import { EXIT } from "../../model/exit-code.ts";
import type { Counts } from "../../model/event.ts";
import { showCount, showInteger, showLines } from "../../model/quantities.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { showText } from "../../model/visible-text.ts";
import type { OptionValues } from "../../options/table.ts";
import { OUTCOME_WORDS } from "../../model/outcome-words.ts";
import { doubtSteps } from "../../model/run-steps.ts";
import { nameState } from "../../model/name-state.ts";
import { waysToSay } from "../../journal/journal-fault.ts";
import { formatEvent } from "../../report/json-event.ts";
import { lostInputs } from "../../run/close-plan.ts";
import { type ShardSum, totalOf } from "../../run/sum-shards.ts";
import { shardWords } from "../../shards/open-shard.ts";
import type { ShardPlan } from "../../shards/shard-plan.ts";
import type { Io } from "../io.ts";
import { namedState } from "../naming-state.ts";

/** A plan with its shards added up. */
interface Told {
  readonly plan: ShardPlan;
  readonly directory: string;
  readonly sums: readonly ShardSum[];
  readonly how: "open" | "closed";
}

/** More places in doubt than this are not listed for a shard. */
const MOST_DOUBTS = 5;

/** If more shards are left, only these are listed. */
const MOST_SHOWN = 20;

/** Says how the shards of a plan are, and what is left to do. */
export function tellShards(told: Told, values: OptionValues, io: Io): void {
  const { json = false, all = false } = values;
  const stateDir = namedState(values, io);
  const { plan, directory, sums, how } = told;
  const counts = totalOf(sums);
  if (json) {
    for (const { shard, state, counts, rows, exitCode, reason, runs } of sums)
      io.stdout.write(
        formatEvent(
          "shard",
          {
            plan: plan.plan,
            shard,
            of: plan.shards,
            state,
            rows,
            ...counts,
            exitCode,
            reason,
            runs: runs.map(({ run }) => run),
            inDoubtAt: runs.flatMap(({ input, doubts }) =>
              doubts.map(({ kind, records, lines: [first, last] }) => ({
                file: plan.inputs[input]!.file,
                kind,
                rows: records,
                first,
                last,
              })),
            ),
            next: nextOf(told, shard).map((step) => nameState(step, stateDir)),
          },
          io.now(),
        ),
      );
    const { table } = plan;
    io.stdout.write(
      formatEvent(
        "plan",
        { plan: plan.plan, directory, table, shards: plan.shards, state: how, ...counts },
        io.now(),
      ),
    );
    return;
  }
  const left = sums.filter(({ state }) => state !== "settled");
  const states = [...new Set(sums.map(({ state }) => state))]
    .map((state) => `${showInteger(sums.filter((sum) => sum.state === state).length)} ${state}`)
    .join(", ");
  const shown = all ? left : left.slice(0, MOST_SHOWN);
  const lines = [
    `${plan.plan}  ${how}  ${plan.inputs.map(({ file }) => showText(file)).join(", ")} -> ${showText(plan.table)} at ${showText(plan.target.url)}`,
    `  ${showCount(plan.shards, "shard")}: ${states}`,
    `  ${showCount(
      sums.reduce((sum, { rows }) => sum + rows, 0),
      "row",
    )}: ${became(counts)}`,
    ...shown.flatMap((sum) => describeShard(told, sum)),
    ...(left.length > shown.length
      ? [
          `  and ${showInteger(left.length - shown.length)} more: rec-push runs --plan ${quoteWord(directory)} --all`,
        ]
      : []),
    how === "closed"
      ? `  what was created is in the ledger, and the table ${showText(plan.table)} is free`
      : `  the table ${showText(plan.table)} is held until all are settled; then run this command again`,
    ...(how === "open" ? [] : rejectSteps(sums)),
  ];
  io.stdout.write(lines.map((line) => `${nameState(line, stateDir)}\n`).join(""));
}

/** Says that a plan is given up, and where the rows to mend are. */
export function tellAbandonedPlan(
  { plan, sums, notices }: Pick<Told, "plan" | "sums"> & { readonly notices: readonly string[] },
  values: OptionValues,
  io: Io,
): number {
  const { json = false } = values;
  const counts = totalOf(sums);
  const lost = lostInputs(plan, sums);
  const inNoFile = sums.reduce(
    (sum, { runs, counts: { rejected } }) =>
      sum + (runs.some(({ stored }) => stored !== undefined) ? 0 : rejected),
    0,
  );
  if (json) {
    const rejects = filesToMend(sums);
    io.stdout.write(formatEvent("abandoned", { plan: plan.plan, ...counts, rejects, notices }, io.now()));
    return EXIT.ok;
  }
  const lines = [
    `the plan ${plan.plan} is given up, and the table ${showText(plan.table)} is free; ${became(counts)}: a later push leaves out what was created, and what may have been`,
    ...notices.map((text) => `  ${showText(text, 800)}`),
    ...(inNoFile > 0
      ? [
          `  ${showCount(inNoFile, "row")} rejected in shards that never began: in no file, a later push rejects ${inNoFile === 1 ? "it" : "them"} again`,
        ]
      : []),
    ...rejectSteps(sums),
    ...(lost.length === 0 ? [] : [nameState(unknownCreates(lost), namedState(values, io))]),
  ];
  io.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

/** What a person has to say before the table of a plan whose state is lost gets creates again. */
export function unknownCreates(runs: readonly string[]): string {
  return `which records without key it created is not known, and none is created in the table until that is said:\n${waysToSay(runs)}`;
}

function became(counts: Counts): string {
  const parts = (Object.keys(OUTCOME_WORDS) as (keyof Counts)[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${showInteger(counts[outcome])} ${OUTCOME_WORDS[outcome]}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

function describeShard(
  told: Told,
  { shard, state, counts, exitCode, reason, running, runs }: ShardSum,
): readonly string[] {
  const { shards, inputs } = told.plan;
  const doubts = runs.flatMap(({ input, doubts: found }) =>
    found.map(
      ({ kind, records, lines }) =>
        `${showCount(records, kind)} in ${showText(inputs[input]!.file)}, ${showLines(...lines)}`,
    ),
  );
  const more = doubts.length - MOST_DOUBTS;
  const why = [exitCode === undefined ? "" : `exit ${exitCode}`, reason]
    .filter((text) => text !== "")
    .join(": ");
  const shownState = running === undefined ? state : `running, pid ${running.pid} on ${running.host}`;
  return [
    `  shard ${shard}/${shards}: ${shownState}; ${became(counts)}`,
    ...(state === "running" || why === "" ? [] : [`    ${showText(why, 300)}`]),
    ...doubts.slice(0, MOST_DOUBTS).map((doubt) => `    in doubt: ${doubt}`),
    ...(more > 0
      ? [
          `    and ${showInteger(more)} more: rec-push runs --plan ${quoteWord(told.directory)} --json lists all`,
        ]
      : []),
    ...nextOf(told, shard).map((step) => `    Next: ${step}`),
  ];
}

function nextOf({ plan, directory, sums }: Told, shard: number): readonly string[] {
  const { state, runs } = sums[shard - 1]!;
  const words = shardWords({ plan, directory, shard });
  const inDoubt = runs.filter(({ doubts }) => doubts.length > 0);
  const doubt: string[] = [];
  for (const { input, doubt: name = "", doubtFile: file, doubts, inputNow } of inDoubt) {
    const records = doubts.reduce((sum, one) => sum + one.records, 0);
    const isRefused = doubts.some((one) => one.isRefused);
    const whose = inDoubt.length === 1 ? {} : { they: `those of ${showText(plan.inputs[input]!.file, 400)}` };
    const about = { called: words, doubt: name, records, isRefused, file, inputNow, ...whose };
    const [first = "", ...others] = doubtSteps(about);
    doubt.push(`check in the service whether the records in doubt are there; ${first}`, ...others);
  }
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
        `or give the plan up once its other shards are settled: rec-push runs --plan ${quoteWord(directory)} --abandon-plan`,
      ];
  }
}

function rejectSteps(sums: readonly ShardSum[]): readonly string[] {
  const files = filesToMend(sums);
  if (files.length === 0) return [];
  const shown = files.slice(0, MOST_SHOWN).map((path) => showText(path, 400));
  return [
    `  Next: mend the rows rejected or refused, and push them; they are in ${shown.join(", ")}${files.length > MOST_SHOWN ? ", ..." : ""}`,
  ];
}

function filesToMend(sums: readonly ShardSum[]): readonly string[] {
  return sums.flatMap(({ runs }) => runs.flatMap(({ rejectsFiles }) => rejectsFiles));
}
