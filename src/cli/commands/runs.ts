import { lookAtRun } from "../../files/rows-to-mend.ts";
import { showCount } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord } from "../../model/text.ts";
import { stepsOfRun } from "../../report/advice.ts";
import { nameState } from "../../report/summary-lines.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { type AbandonedRun, abandonRun, forgetRun } from "../../push/forget-run.ts";
import { describeRun, runFields, RUNS_HEAD } from "../../report/problem-line.ts";
import { findRun, listKnownRuns, pruneRuns } from "../../store/close-finished.ts";
import { listHolds, readBooks } from "../../store/find-books.ts";
import {
  openStateDirectory,
  placesIn,
  refuseEarlierForm,
  type StateDirectory,
} from "../../store/state-directory.ts";
import { loadKept } from "../../store/summarise-run.ts";
import type { CommandLine } from "../command-line.ts";
import { type Io, namedState, stateRoot } from "../run-settings.ts";
import { say } from "../say.ts";
import { repairRuns } from "./repair-runs.ts";

/** What `runs` does to a run, or to all that are finished or damaged. */
type Change = "abandon" | "forget" | "prune" | "repair";

/** Lists runs, gives one up, or removes the finished ones. */
export async function runRuns({ files, options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  const { change, name } = readWords(files, values);
  const root = stateRoot(values, io);
  await refuseEarlierForm(root);
  const hold = (await listHolds(placesIn(root))).find(({ plan }) => change === "abandon" && plan === name);
  if (values.plan !== undefined || hold !== undefined) {
    const { runPlanRuns } = await import("./plan-runs.ts");
    return runPlanRuns(
      { ...given({ plan: hold?.directory }), ...values, isGivenUp: change === "abandon" },
      io,
    );
  }
  if (change === "prune") return prune(placesIn(root), values, io);
  // Lost directories are made again: the change is noted in them.
  const state = change === undefined ? placesIn(root) : await openStateDirectory(root);
  if (change === "abandon") return tellAbandoned(await abandonRun(state, name!), values, io);
  if (change === "repair") return repairRuns(state, values, io);
  if (change === "forget") return tellForgotten(name!, await forgetRun(state, name!), values, io);
  await tellRuns(state, name, values, io);
  return EXIT.ok;
}

/** Lists the runs, the latest first, or shows one. */
async function tellRuns(
  state: StateDirectory,
  name: string | undefined,
  values: OptionValues,
  io: Io,
): Promise<void> {
  const { table, json: isJson = false, all: isAll = isJson || name !== undefined } = values;
  const runs =
    name === undefined ? (await listKnownRuns(state)).toReversed() : [(await findRun(state, name)).run];
  if (runs.length === 0 && !isJson) io.stdout.write(`no runs are kept in ${state.root}\n`);
  let head = [RUNS_HEAD];
  let done = 0;
  for (const run of runs)
    try {
      const kept = await loadKept(state, run);
      if (kept === undefined || (table ?? kept.end.kept.shown.table) !== kept.end.kept.shown.table) continue;
      const summary = await lookAtRun(kept);
      const isShown = isAll || stepsOfRun(summary).length > 0;
      if (!isShown) done += 1;
      else {
        const lines = [...head.splice(0), ...describeRun(summary, name !== undefined)];
        say({ event: "run", ...runFields(summary) }, lines, values, io);
      }
    } catch (error) {
      if (!(error instanceof RecPushError)) throw error;
      tellFault(run, error, values, io);
    }
  if (name !== undefined) return;
  for (const { plan, table: held, directory } of await listHolds(state)) {
    if (table !== undefined && table !== held) continue;
    const next = `rec-push runs --plan ${quoteWord(directory)}`;
    const lines = [`${plan}  open plan, holds the table ${held}`, `  Next: ${next}`];
    say({ event: "plan", plan, directory, table: held, state: "open", next: [next] }, lines, values, io);
  }
  for (const { path, fault } of (await readBooks(state)).damaged) tellFault(path, fault, values, io);
  const line = `${showCount(done, "run")} with nothing left to do: ${nameState("rec-push runs", namedState(values, io))} --all\n`;
  if (done > 0) io.stdout.write(line);
}

/** A run that cannot be read, or the book of a table. */
function tellFault(what: string, { message, hint = "" }: RecPushError, values: OptionValues, io: Io): void {
  const lines = [`${what}  damaged`, `  ${message}`, `  Next: ${hint.replaceAll("\n", "\n  ")}`];
  const next = hint === "" ? [] : [hint];
  say({ event: "run", run: what, state: "damaged", reason: message, next }, lines, values, io);
}

/** `[RUN]`, `abandon RUN`, `forget RUN`, `prune`, `repair`; with `--plan` the plan is what is named. Throws a usage error. */
function readWords(
  words: readonly string[],
  { plan }: OptionValues,
): { readonly change?: Change; readonly name?: string } {
  const [first = "", second] = words;
  const isChange = first === "abandon" || first === "forget" || first === "prune" || first === "repair";
  const takesName = plan === undefined && first !== "prune" && first !== "repair";
  const most = (isChange ? 1 : 0) + (takesName ? 1 : 0);
  if (words.length > most || (plan !== undefined && isChange && first !== "abandon"))
    throw new RecPushError("wrong-usage", `too many words: ${words.join(" ")}`, {
      hint: "rec-push runs [RUN], runs abandon RUN, runs forget RUN, runs prune, runs repair; of a plan: runs [abandon] --plan DIR",
    });
  if (!isChange) return given({ name: words[0] });
  if (takesName && second === undefined)
    throw new RecPushError("wrong-usage", `runs ${first} needs the name of a run`, {
      hint: "rec-push runs lists them",
    });
  return { change: first, ...given({ name: second }) };
}

function tellAbandoned({ run, hasCreates, rows }: AbandonedRun, values: OptionValues, io: Io): number {
  const rest = hasCreates
    ? "it may have created records: a later push leaves those out"
    : "its file can be pushed again";
  const line =
    rows === undefined
      ? `the run ${run} is given up; ${rest}`
      : `the ${showCount(rows, "row")} that the run ${run} left to be mended ${rows === 1 ? "is" : "are"} given up and not sent`;
  say({ event: "abandoned", run }, [line], values, io);
  return EXIT.ok;
}

function tellForgotten(run: string, creates: number | undefined, values: OptionValues, io: Io): number {
  const count = creates === undefined ? "the creates" : showCount(creates, "create");
  const line = `${count} of the run ${run} taken out of the ledger: a push that holds them creates them again`;
  say({ event: "forgotten", run, creates: creates ?? null }, [line], values, io);
  return EXIT.ok;
}

async function prune(state: StateDirectory, values: OptionValues, io: Io): Promise<number> {
  const { removed, kept } = await pruneRuns(state);
  const lines = [
    `${showCount(removed.length, "finished run")} removed; what was created is remembered`,
    ...kept.map(
      (run) =>
        `the run ${run} is kept: it left rows that nobody mended. rec-push runs ${run} says where they are, rec-push runs abandon ${run} gives them up`,
    ),
  ];
  say({ event: "pruned", runs: removed, kept }, lines, values, io);
  return EXIT.ok;
}
