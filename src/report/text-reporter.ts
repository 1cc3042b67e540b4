import { type ConfigUse, OUTCOME_WORDS, showCount, showLines, type SurveyReport } from "../model/counts.ts";
import type { BatchEvent, RejectEvent, Summary } from "../model/event.ts";
import { EXIT } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import { type ProblemGroup, ProblemGroups } from "../model/rows.ts";
import { quoteText, showText } from "../model/text.ts";
import { describeProblems } from "./problem-line.ts";
import { joinReporters, listenTo, type Reporter } from "./reporter.ts";
import {
  describeColumn,
  describeFormats,
  describeOpenRuns,
  describePins,
  describeSummary,
  describeSurvey,
} from "./summary-lines.ts";
import {
  type OutputStream,
  type Paint,
  type Progress,
  showDuration,
  type Tell,
  tellOn,
} from "./terminal-lines.ts";

/**
 * `quiet`: only what needs a person; `brief`: that and all notes, beside the events for programs; `normal`; `verbose`: a
 * line for each batch.
 */
type Amount = "quiet" | "brief" | "normal" | "verbose";

/** Where a text reporter writes, and how much. */
interface TextReporterOptions {
  /** For results: a line per batch, the columns of a check, the summary. */
  readonly results: OutputStream;
  /** For notices and errors. */
  readonly remarks: OutputStream;
  readonly progress: Progress;
  readonly paint: { readonly results: Paint; readonly remarks: Paint };
  readonly amount: Amount;
  /** A check counts nothing as sent. */
  readonly isCheck: boolean;
  /** Every column is shown, as in a check. */
  readonly isPlan?: boolean;
}

/** Output in words: results on one stream, remarks on the other. */
export function createTextReporter(options: TextReporterOptions): Reporter {
  const { progress, amount, isCheck } = options;
  const tellResults = tellOn(options.results);
  const tellRemarks = tellOn(options.remarks);
  const context = createContextReporter(options, tellRemarks, isCheck ? tellResults : tellRemarks);
  const remarks = createRemarksReporter(options, tellRemarks);
  const results = createResultsReporter(options, tellResults);
  const shown = { emit: progress.update, fail: () => undefined, close: progress.stop };
  const all = joinReporters([...(hasContext(amount) ? [context] : []), remarks, results, shown]);
  // The batches came before the failure that ended the run.
  return { ...all, fail: joinReporters([results, remarks]).fail };
}

/** True if lines about files and configs are shown, with remarks below them. */
function hasContext(amount: Amount): boolean {
  return amount === "normal" || amount === "verbose";
}

/**
 * The context for a user at the terminal: config, settled formats, the open run. `tellSurvey` prints how files are read,
 * which is the result of a check.
 */
function createContextReporter(
  { amount, isCheck, isPlan = isCheck }: TextReporterOptions,
  tell: Tell,
  tellSurvey: Tell,
): Reporter {
  const isVerbose = amount === "verbose";
  return listenTo({
    run({ configs, run, table, url }) {
      tell(describeConfigs(configs));
      if (isVerbose && !isCheck) tell([`run ${run}: table ${table} at ${url}`]);
    },
    survey({ survey }) {
      const columns =
        isPlan || isVerbose
          ? survey.columns.flatMap(describeColumn)
          : describeFormats(survey.columns.filter(({ settledBy }) => settledBy !== undefined));
      tellSurvey([describeSurvey(survey), ...columns.map((line) => `  ${line}`)]);
    },
    resumed({ settledRows, file, run }) {
      const settled = `${showCount(settledRows, "row")} already settled`;
      tell([`${showText(file)}: going on with the open run ${run}, ${settled}`]);
    },
  });
}

/** One line per config: `config: /srv/rec-push.config.json, table "commandes"` */
function describeConfigs(configs: readonly ConfigUse[]): string[] {
  return configs.map(({ path, tables, table, profile }) => {
    const known = tables.map((name) => quoteText(name)).join(", ");
    const used =
      table === undefined ? known && `no table used, it has ${known}` : `table ${quoteText(table)}`;
    const parts = [`config: ${showText(path, 400)}`, used, profile && `profile ${quoteText(profile)}`];
    return parts.filter(Boolean).join(", ");
  });
}

/** Further lines are only counted: a screen of problems says as much as a thousand. */
const MOST_PROBLEM_LINES = 20;

/** A ready `--map` line for each of a hundred columns must be shown in full. */
const MAX_FAILURE_LENGTH = 32_768;

/** The remarks that people need in every form of output: errors, rejects, notices, notes on a file, pins. */
function createRemarksReporter(
  { amount, paint: { remarks: paint }, progress }: TextReporterOptions,
  tell: Tell,
): Reporter {
  // Only errors, rejects, and the pins whose lack could stop a nightly run one day.
  const isQuiet = amount === "quiet";
  const isBelowSurvey = hasContext(amount);
  // Progress that is drawn counts a wait down.
  const waitsFromMs =
    amount === "verbose" ? 0 : isQuiet ? 60_000 : progress.grow === undefined ? 2000 : Infinity;
  const allRejects = amount === "brief" ? "each is an event on standard output" : "--json tells each";
  const hints = new Set<string>();
  /** By file: problems that were not reported yet. */
  const untold = new Map<string, ProblemGroups>();

  function noteReject({ file, ...problem }: RejectEvent): void {
    const groups = untold.get(file) ?? new ProblemGroups();
    untold.set(file, groups);
    groups.add(problem);
  }

  /** Each hint is given only once. */
  function withNewHint(group: ProblemGroup): ProblemGroup {
    const { hint, ...first } = group.first;
    if (hint === undefined) return group;
    if (hints.has(hint)) return { ...group, first };
    hints.add(hint);
    return group;
  }

  function tellProblems(file: string, groups: readonly ProblemGroup[], others = 0): void {
    const shown = groups.slice(0, MOST_PROBLEM_LINES);
    const rest = groups.slice(MOST_PROBLEM_LINES).reduce((sum, { rows }) => sum + rows, others);
    for (const group of shown) tell([describeProblems(file, withNewHint(group))]);
    if (rest > 0) tell([`... and ${showCount(rest, "more problem")}; ${allRejects}`]);
  }

  function tellNotes({ reading, counts, notices }: SurveyReport): void {
    const lead = isBelowSurvey ? "  note:" : `${showText(reading.file)}: note:`;
    const shown = isQuiet ? notices.filter(({ isAlwaysShown }) => isAlwaysShown) : notices;
    const lines = shown.map(({ text }) => paint.yellow(`${lead} ${showText(text, 600)}`));
    if (isQuiet) return tell(lines);
    if (counts.repeatedKeys > 0 && counts.superseded === 0) {
      const atLeast = counts.repeatedKeysBounded ? "at least " : "";
      const rows = `${atLeast}${showCount(counts.repeatedKeys, "row")}`;
      tell([`${lead} ${rows} with a key of an earlier row; the last one stays`]);
    }
    tell(lines);
  }

  function tellAll(): void {
    for (const [file, groups] of untold) tellProblems(file, groups.list(), groups.others);
    untold.clear();
  }

  return listenTo(
    {
      survey({ survey }) {
        tellNotes(survey);
        tell(describePins(survey).map((line) => paint.yellow(line)));
      },
      notice({ text, isAlwaysShown }) {
        if (!isQuiet || isAlwaysShown === true) tell([showText(text, 2000)]);
      },
      waiting({ ms, reason }) {
        if (ms > waitsFromMs) tell([`waiting ${showDuration(ms)}: ${reason}`]);
      },
      reject: noteReject,
      problems: ({ file, groups }) => tellProblems(file, groups),
      summary: tellAll,
    },
    {
      fail(failure) {
        tellAll();
        tell(describeFailure(failure, paint));
      },
      close: tellAll,
    },
  );
}

/**
 * `error: orders.csv:7:3: ...`, the message's further lines, and the hint below them; for several failures one after
 * another, then what settles all of them.
 */
function describeFailure({ message, hint, parts }: RecPushError, paint: Paint): string[] {
  if (parts.length > 0) {
    const told = new Set(parts.flatMap((part) => part.hint?.split("\n") ?? []));
    const all = (hint ?? "").split("\n").filter((line) => line !== "" && !told.has(line));
    const shown = all.map((line) => `for all of them: ${showText(line, MAX_FAILURE_LENGTH)}`);
    return [...parts.flatMap((part) => describeFailure(part, paint)), ...shown];
  }
  const lines = message.split("\n").map((line) => showText(line, MAX_FAILURE_LENGTH));
  const [first = "", ...rest] = lines;
  const mend =
    hint === undefined ? [] : hint.split("\n").map((line) => `  ${showText(line, MAX_FAILURE_LENGTH)}`);
  return [`${paint.red("error:")} ${first}`, ...rest, ...mend];
}

/** A push of a few batches shows each; of a longer one, those after these fold. */
const MOST_SINGLE = 20;

/**
 * The results in words: a line per batch, or per kind and outcome, then the summary with what to do
 * next.
 */
function createResultsReporter(options: TextReporterOptions, tell: Tell): Reporter {
  const { amount, isCheck } = options;
  const paint = options.paint.results;
  // Lines that still grow are shown on a terminal only.
  const grow = options.results.isTTY === true ? options.progress.grow : undefined;
  const isTroubleOnly = amount === "quiet" || amount === "brief";
  /** By kind and outcome: the batches that are not told one by one. */
  const folded = new Map<string, Stretch>();
  let fileCount = 1;
  let isTold = false;
  let singles = 0;

  function tellBatch(batch: BatchEvent): void {
    const one = { ...batch, batches: 1 };
    if (isTroubleOnly && one.outcome === "accepted") return;
    if (amount === "verbose" || (!isTroubleOnly && singles++ < MOST_SINGLE)) return tell([lineOf(one)]);
    const [first] = folded.values();
    if (first !== undefined && first.first.file !== one.first.file) tellRest();
    const name = `${one.kind} ${one.outcome}`;
    const before = folded.get(name);
    folded.set(name, before === undefined ? one : joinStretches(before, one));
    if (grow !== undefined) return grow([...folded.values()].map((each) => lineOf(each)));
    // A log is read while it is written, so trouble is shown before its last batch.
    if (before === undefined && one.outcome !== "accepted") tell([lineOf(one)]);
  }

  function lineOf(stretch: Stretch, after = ""): string {
    const lead = fileCount > 1 ? `${showText(stretch.first.file)}: ` : "";
    const line = lead + describeStretch(stretch) + after;
    return stretch.outcome === "accepted" ? line : paint.red(line);
  }

  function tellRest(): void {
    if (folded.size > 0) grow?.([]);
    for (const stretch of folded.values()) {
      const isShown = grow === undefined && stretch.outcome !== "accepted";
      if (!isShown) tell([lineOf(stretch)]);
      else if (stretch.batches > 1 && amount !== "brief") tell([lineOf(stretch, " in all")]);
    }
    folded.clear();
  }

  function tellSummary(summary: Summary): void {
    tellRest();
    const isGood = summary.exitCode === EXIT.ok;
    if (isTroubleOnly && isGood) {
      // What the user has to do is printed all the same.
      const steps = isCheck ? [] : summary.next.map((step) => `Next: ${step}`);
      return tell([...describeOpenRuns(summary), ...steps]);
    }
    // If no run began, the error has said everything, and the events say the rest.
    if (summary.run === "") return;
    const [first = "", ...rest] = describeSummary(summary, { isCheck, isTold });
    tell([isGood ? paint.green(first) : paint.bold(first), ...rest]);
  }

  return listenTo(
    {
      run: ({ files }) => void (fileCount = files.length),
      batch: tellBatch,
      summary: tellSummary,
    },
    {
      fail() {
        isTold = true;
        tellRest();
      },
      close: tellRest,
    },
  );
}

/** Batches of one file with the same kind and outcome; their number and answer are those of the first. */
interface Stretch extends BatchEvent {
  readonly batches: number;
}

/**
 * One line per stretch: `update  300,000 rows  lines 2-300001  600 batches  200 Update Items OK.`, of one batch
 * `  1  update  500 rows  lines 2-501  200 Update Items OK.`
 */
function describeStretch(stretch: Stretch): string {
  const { kind, outcome, status, msg, batches, attempts } = stretch;
  const isOne = batches === 1;
  const count = showCount(stretch.rows, "row").padStart(isOne ? 8 : 12);
  const lines = showLines(stretch.first.line, stretch.last.line).padEnd(isOne ? 19 : 14);
  const requests = isOne ? "" : `${showCount(batches, "batch")}  `;
  const tries = attempts > batches ? ` (${showCount(attempts, "attempt")})` : "";
  const verdict = outcome === "accepted" ? "" : ` -> ${OUTCOME_WORDS[outcome]}`;
  const number = isOne ? `${String(stretch.batch).padStart(3)}  ` : "";
  return `${number}${kind}  ${count}  ${lines}  ${requests}${status ?? "no answer:"} ${showText(msg, 300)}${tries}${verdict}`;
}

function joinStretches(stretch: Stretch, more: Stretch): Stretch {
  return {
    ...stretch,
    batches: stretch.batches + more.batches,
    rows: stretch.rows + more.rows,
    attempts: stretch.attempts + more.attempts,
    // Rows between them may have another outcome.
    first: more.first.line < stretch.first.line ? more.first : stretch.first,
    last: more.last.line > stretch.last.line ? more.last : stretch.last,
  };
}
