import { showCount, showDuration, type SurveyReport } from "../model/counts.ts";
import type { RejectEvent } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import { type ProblemGroup, ProblemGroups } from "../model/rows.ts";
import { showText } from "../model/text.ts";
import { listenTo, type Reporter } from "./reporter.ts";
import { describeProblems } from "./problem-line.ts";
import { PinLines } from "./summary-lines.ts";
import { type Paint, type Tell } from "./terminal-lines.ts";

/** Further lines are only counted: a screen of problems says as much as a thousand. */
const MOST_PROBLEM_LINES = 20;

/** A ready `--map` line for each of a hundred columns must be shown in full. */
const MAX_FAILURE_LENGTH = 32_768;

/** Where the remarks go, and in what form. */
export interface RemarksOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Only errors, rejects, and the pins whose lack could stop a nightly run one day. */
  readonly isQuiet: boolean;
  /** Shorter waits are not reported. */
  readonly waitsFromMs: number;
  /** True if the notes on a file come below lines that name it. */
  readonly isBelowSurvey: boolean;
  /** Names the place that lists every reject, for when there are too many. */
  readonly allRejects: string;
}

/** The remarks that people need in every form of output: errors, rejects, notices, notes on a file, pins. */
export function createRemarksReporter(options: RemarksOptions): Reporter {
  const { tell, paint, isQuiet, isBelowSurvey, waitsFromMs, allRejects } = options;
  const pinLines = new PinLines();
  const hints = new Set<string>();
  /** By file: problems that were not reported yet. */
  const untold = new Map<string, ProblemGroups>();
  /** Files whose problems were reported all at once. */
  const told = new Set<string>();

  function noteReject({ file, ...problem }: RejectEvent): void {
    if (told.has(file)) return;
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

  function tellPins(): void {
    tell(pinLines.take().map((line) => paint.yellow(line)));
  }

  function tellAll(): void {
    tellPins();
    for (const [file, groups] of untold) tellProblems(file, groups.list(), groups.others);
    untold.clear();
  }

  return listenTo(
    {
      survey({ survey }) {
        tellNotes(survey);
        pinLines.add(survey, isQuiet);
      },
      notice({ text, isAlwaysShown }) {
        if (!isQuiet || isAlwaysShown === true) tell([showText(text, 2000)]);
      },
      waiting({ ms, reason }) {
        if (ms > waitsFromMs) tell([`waiting ${showDuration(ms)}: ${reason}`]);
      },
      reject(event) {
        tellPins();
        noteReject(event);
      },
      problems({ file, groups }) {
        tellPins();
        told.add(file);
        tellProblems(file, groups);
      },
      ready: tellPins,
      batch: tellPins,
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
