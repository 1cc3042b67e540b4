import { access } from "node:fs/promises";
import { join } from "node:path";
import { findDoubtFile } from "../../files/doubt-files.ts";
import { findRowsToMend, holdsUnmended, lookAtInput, replacesUnmended } from "../../files/rows-to-mend.ts";
import { showCount, showInteger } from "../../model/decimal-of.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { nameState, quoteWord } from "../../model/refer-to-sheets.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { type AbandonedRun, abandonRun, forgetRun } from "../../push/forget-run.ts";
import { formatEvent } from "../../report/json-event.ts";
import { describeRun, runFields } from "../../report/problem-line.ts";
import { findGoesFirst, findRun, isOpen, listKnownRuns, refuseLostRun } from "../../store/close-finished.ts";
import { damagedBooks, listHolds } from "../../store/find-books.ts";
import { type PrunedRuns, pruneRuns } from "../../store/prune-runs.ts";
import { openStateDirectory, placesIn, type StateDirectory } from "../../store/state-directory.ts";
import { loadRun, summariseRun } from "../../store/summarise-run.ts";
import { REPORT } from "../../store/write-report.ts";
import type { CommandLine } from "../program.ts";
import { reword } from "../reword.ts";
import { type Io, namedState, stateRoot } from "../run-settings.ts";

/** Lists runs, gives one up, or removes the finished ones. */
export async function runRuns({ files, options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  if (values.plan !== undefined || values.abandonPlan === true) {
    const { runPlanRuns } = await import("./plan-runs.ts");
    return runPlanRuns(values, io);
  }
  const { json: isJson = false, abandon: abandoned, forget: forgotten, prune = false } = values;
  const isChange = abandoned !== undefined || forgotten !== undefined;
  const root = stateRoot(values, io);
  // A part that is lost is made again, so that it can be noted there.
  const state = isChange ? await openStateDirectory(root) : placesIn(root);
  if (abandoned !== undefined) return tellAbandoned(await abandonRun(state, abandoned), io, isJson);
  if (forgotten !== undefined) return tellForgotten(forgotten, await forgetRun(state, forgotten), io, isJson);
  if (prune)
    return tellPruned(await pruneRuns(state, { holdsUnmended, replacesUnmended }), state, io, isJson);
  const [name] = files;
  const runs = name === undefined ? await listKnownRuns(state) : [(await findRun(state, name)).run];
  if (runs.length === 0 && !isJson) io.stdout.write(`no runs are kept in ${state.runs}\n`);
  const shown = isJson || values.all === true ? Infinity : MOST_SHOWN;
  let [found, hidden] = [0, 0];
  for (const run of runs.toReversed()) {
    const lines = await describe(state, run, {
      isJson,
      isWhole: name !== undefined,
      now: io.now,
      stateDir: namedState(values, io),
      ...pick(values),
    });
    if (lines.length > 0) found += 1;
    if (found > shown) hidden += lines.length > 0 ? 1 : 0;
    else io.stdout.write(lines.map((line) => `${line}\n`).join(""));
  }
  if (name === undefined) await tellHolds(state, values, io);
  for (const { path, fault } of name === undefined ? await damagedBooks(state) : [])
    io.stdout.write(describeFault(path, fault, { isJson, now: io.now, stateDir: namedState(values, io) }));
  if (hidden > 0)
    io.stdout.write(
      `and ${showInteger(hidden)} earlier: ${nameState("rec-push runs", namedState(values, io))} --all\n`,
    );
  return EXIT.ok;
}

/** The plans that hold a table, which are not among the runs. */
async function tellHolds(state: StateDirectory, values: OptionValues, io: Io): Promise<void> {
  const { table, json: isJson = false } = values;
  for (const { plan, table: held, directory } of await listHolds(state)) {
    if (table !== undefined && table !== held) continue;
    const next = nameState(`rec-push runs --plan ${quoteWord(directory)}`, namedState(values, io));
    if (isJson)
      io.stdout.write(
        formatEvent("plan", { plan, directory, table: held, state: "open", next: [next] }, io.now()),
      );
    else io.stdout.write(`${plan}  open plan, holds the table ${held}\n  Next: ${next}\n`);
  }
}

/** If there are more runs, only the latest are shown. */
const MOST_SHOWN = 20;

/** Which runs to show. */
interface Wanted {
  readonly table: string | undefined;
  readonly isOpenOnly: boolean;
}

function pick({ table, open = false }: OptionValues): Wanted {
  return { table, isOpenOnly: open };
}

async function describe(
  state: StateDirectory,
  run: string,
  {
    isJson,
    isWhole,
    table,
    isOpenOnly,
    now,
    stateDir,
  }: Wanted & {
    readonly isJson: boolean;
    readonly isWhole: boolean;
    readonly now: Io["now"];
    readonly stateDir: string | undefined;
  },
): Promise<string[]> {
  try {
    const stored = await loadRun(state, run);
    if (stored === undefined) {
      await refuseLostRun(state, run);
      return [];
    }
    if ((table !== undefined && stored.facts.table !== table) || (isOpenOnly && !isOpen(stored))) return [];
    const doubtFile = await findDoubtFile(stored.directory, stored.account);
    const inputNow = isOpen(stored) ? await lookAtInput(stored) : undefined;
    const after = isOpen(stored) ? (await findGoesFirst(state, stored))?.run : undefined;
    const rowsToMend = await findRowsToMend(state, stored);
    const summary = { ...summariseRun(stored), ...given({ doubtFile, inputNow, after, rowsToMend }) };
    const report = await access(join(stored.directory, REPORT)).then(
      () => join(stored.directory, REPORT),
      () => undefined,
    );
    const name = (text: string): string => nameState(text, stateDir);
    if (isJson) return [formatEvent("run", { ...runFields(summary, name), report }, now()).trimEnd()];
    return [
      ...describeRun(summary, isWhole).map(name),
      ...(isWhole && report ? [`  Report: ${report}`] : []),
    ];
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    return [describeFault(run, error, { isJson, now, stateDir }).trimEnd()];
  }
}

/** A run that cannot be read, or the book of a table. */
function describeFault(
  what: string,
  fault: RecPushError,
  {
    isJson,
    now,
    stateDir,
  }: { readonly isJson: boolean; readonly now: Io["now"]; readonly stateDir: string | undefined },
): string {
  const { message, hint } = reword(fault, (text) => nameState(text, stateDir));
  return isJson
    ? formatEvent("run", { run: what, state: "damaged", reason: message, next: [hint] }, now())
    : `${what}  damaged\n  ${message}\n  Next: ${hint ?? ""}\n`;
}

function tellAbandoned({ run, hasCreates, rows }: AbandonedRun, io: Io, isJson: boolean): number {
  if (isJson) io.stdout.write(formatEvent("abandoned", { run }, io.now()));
  else if (rows !== undefined)
    io.stdout.write(
      `the ${showCount(rows, "row")} that the run ${run} left to be mended ${rows === 1 ? "is" : "are"} given up and not sent\n`,
    );
  else {
    const rest = hasCreates
      ? "it may have created records: a later push leaves those out"
      : "its file can be pushed again";
    io.stdout.write(`the run ${run} is given up; ${rest}\n`);
  }
  return EXIT.ok;
}

function tellForgotten(run: string, creates: number | undefined, io: Io, isJson: boolean): number {
  if (isJson) io.stdout.write(formatEvent("forgotten", { run, creates: creates ?? null }, io.now()));
  else {
    const count = creates === undefined ? "the creates" : showCount(creates, "create");
    io.stdout.write(
      `${count} of the run ${run} taken out of the ledger: a push that holds them creates them again\n`,
    );
  }
  return EXIT.ok;
}

function tellPruned({ removed, kept }: PrunedRuns, state: StateDirectory, io: Io, isJson: boolean): number {
  if (isJson) io.stdout.write(formatEvent("pruned", { runs: removed, kept }, io.now()));
  else {
    io.stdout.write(
      `${showCount(removed.length, "finished run")} removed; that their files were pushed stays known\n`,
    );
    for (const run of kept)
      io.stdout.write(
        `${join(state.runs, run)} is kept: it left rows that nobody mended. rec-push runs ${run} says where they are, rec-push runs --abandon ${run} gives them up\n`,
      );
  }
  return EXIT.ok;
}
