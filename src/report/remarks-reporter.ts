import { showCount, showDuration, type SurveyReport } from "../model/counts.ts";
import type { RejectEvent } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import { type MarkedCell, type ProblemGroup, ProblemGroups, type RowProblem } from "../model/rows.ts";
import { showText } from "../model/text.ts";
import { listenTo, type Reporter } from "./reporter.ts";
import { describeProblems } from "./problem-line.ts";
import { PinLines } from "./summary-lines.ts";
import { cutToWidth, type Paint, type Tell, textWidth } from "./terminal-lines.ts";

/** Further lines are only counted: a screen of problems says as much as a thousand. */
const MOST_PROBLEM_LINES = 20;

/** Each of these takes two more lines. */
const MOST_MARKED_LINES = 10;

/** In a narrower terminal nothing useful of the line would be left. */
const NARROWEST = 30;

/** A ready `--map` line for each of a hundred columns must be shown in full. */
const MAX_FAILURE_LENGTH = 32_768;

/** Where the remarks go, and in what form. */
export interface RemarksOptions {
  readonly tell: Tell;
  readonly paint: Paint;
  /** Only errors, rejects, and the pins whose lack could stop a nightly run one day. */
  readonly isQuiet: boolean;
  /** Only longer waits are told. */
  readonly waitsFromMs: number;
  /** True if the notes on a file come below lines that name it. */
  readonly isBelowSurvey: boolean;
  /** Names the place that lists every reject, for when there are too many. */
  readonly allRejects: string;
  /** The width of the terminal, if lines of the file are to be fitted to it; `undefined` elsewhere. */
  readonly columns: () => number | undefined;
}

/** The remarks that people need in every form of output: errors, rejects, notices, notes on a file, pins. */
export function createRemarksReporter(options: RemarksOptions): Reporter {
  const { tell, paint, isQuiet, isBelowSurvey, waitsFromMs, allRejects, columns } = options;
  const pinLines = new PinLines();
  const hints = new Set<string>();
  /** Lines that a survey found, for problems that are reported later one by one. */
  const lines = new Map<string, MarkedCell>();
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
    const width = columns() ?? 0;
    let marks = 0;
    for (const group of shown) {
      const marked = group.marked ?? lines.get(nameOf(file, group.first));
      const isMarked = marked !== undefined && width >= NARROWEST && marks++ < MOST_MARKED_LINES;
      tell([describeProblems(file, withNewHint(group)), ...(isMarked ? markLine(marked, width, paint) : [])]);
    }
    if (rest > 0) tell([`... and ${showCount(rest, "more problem")}; ${allRejects}`]);
  }

  function noteLines({ reading, groups }: SurveyReport): void {
    if (columns() === undefined) return;
    for (const { first, marked } of groups.slice(0, MOST_PROBLEM_LINES))
      if (marked !== undefined) lines.set(nameOf(reading.file, first), marked);
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
        noteLines(survey);
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

function nameOf(file: string, { line, column }: RowProblem): string {
  return `${line}:${column} ${file}`;
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

const INDENT = "  ";
const MORE = "…";
/** At least this many columns of the line are shown on both sides of a long cell. */
const LEAST_BESIDE = 8;

/**
 * The line of a file with marks below a cell, for a terminal with this many columns: a long line is cut around the
 * cell.
 */
export function markLine(marked: MarkedCell, columns: number, paint: Pick<Paint, "red">): string[] {
  const show = (text: string): string => showText(text, text.length);
  const room = columns - INDENT.length;
  const cell = cutToWidth(show(marked.cell), Math.max(1, room - 2 * LEAST_BESIDE));
  const beside = room - Math.max(1, textWidth(cell));
  const [before, after] = [show(marked.before), show(marked.after)];
  // The other side gets what one side does not need.
  const half = Math.floor(beside / 2);
  const shownBefore = cutStart(before, Math.max(half, beside - textWidth(after)));
  const shownAfter = cutEnd(after, beside - textWidth(shownBefore));
  const marks = "^".repeat(Math.max(1, textWidth(cell)));
  return [
    `${INDENT}${shownBefore}${cell}${shownAfter}`,
    `${INDENT}${" ".repeat(textWidth(shownBefore))}${paint.red(marks)}`,
  ];
}

function cutEnd(text: string, columns: number): string {
  return columns < 1 ? "" : cutToWidth(text, columns);
}

/** The end of a text that is too long. */
function cutStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let cut = "";
  let width = MORE.length;
  for (const sign of Array.from(text).toReversed()) {
    width += textWidth(sign);
    if (width > columns) break;
    cut = sign + cut;
  }
  return MORE + cut;
}
