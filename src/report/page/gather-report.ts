import type { ColumnReport, RunEvent, Settled, Summary, SurveyReport } from "../../model/decimal-of.ts";
import type { RecPushError } from "../../model/failure.ts";
import { type ProblemGroup, type RowProblem, sharesLine } from "../../model/problem-groups.ts";
import { describeReading } from "../summary-lines.ts";

/** No list of a report is longer, but those of lines and values. */
const MOST = 200;
const MOST_LINES = 20;
const MOST_VALUES = 5;
const MOST_STEPS = 120;

/** What a report says about the command itself. */
export interface ReportedCommand {
  readonly isCheck: boolean;
  readonly version: string;
  readonly now: () => Date;
}

/**
 * How one command went, as data: the content of `report.json`, and everything that the page shows. Lists are limited in
 * length, and the member after each says how many entries it leaves out.
 */
export type RunReport = ReturnType<ReportGatherer["report"]>;

/** Collects the events of a command into its report, in memory that does not grow with the rows. */
export class ReportGatherer {
  readonly #command: ReportedCommand;
  readonly #startedAt: Date;
  #about = { run: "", table: "", url: "" };
  #summary: Summary | undefined;
  readonly #errors = new Bounded<ReturnType<typeof errorOf>>();
  readonly #files = new Bounded<ReturnType<typeof fileOf>>();
  readonly #notices = new Bounded<string>();
  readonly #rejects = new Map<string, RejectGroup>();
  #otherRejects = 0;
  /** Files whose problems were reported all at once. */
  readonly #told = new Set<string>();
  readonly #answers = new Map<string, Answer>();
  #otherAnswers = 0;
  #settledBefore = 0;
  readonly #waits = { times: 0, ms: 0 };
  readonly #timeline = new Timeline();
  #firstRequestMs: number | undefined;

  constructor(command: ReportedCommand) {
    this.#command = command;
    this.#startedAt = command.now();
  }

  add(event: RunEvent): void {
    switch (event.kind) {
      case "run": {
        const { run, table, url } = event;
        this.#about = { run, table, url };
        return;
      }
      case "survey":
        return this.#files.add(fileOf(event.survey));
      case "resumed":
        this.#settledBefore += event.settledRows;
        return;
      case "notice": {
        const { file, notice } = event;
        const isNamed = file === undefined || notice.text.startsWith(`${file}: `);
        return this.#notices.add(keepText(isNamed ? notice.text : `${file}: ${notice.text}`));
      }
      case "settled":
        return this.#addBatch(event.settled);
      case "problems":
        this.#told.add(event.file);
        for (const { first, ...many } of event.groups) this.#addRejects(event.file, first, many);
        return;
      case "reject":
        return this.#told.has(event.file) ? undefined : this.#addReject(event.file, event.problem);
      case "waiting":
        this.#waits.times += 1;
        this.#waits.ms += event.forMs;
        return;
      case "request":
        this.#firstRequestMs ??= this.#command.now().getTime();
        return;
      case "summary":
        this.#summary = event.summary;
        return;
      case "surveying":
      case "progress":
        break;
    }
  }

  fail(failure: RecPushError): void {
    if (failure.parts.length === 0) this.#errors.add(errorOf(failure));
    for (const part of failure.parts) this.fail(part);
  }

  report() {
    const { isCheck, version, now } = this.#command;
    const { read = 0, counts, ...summary } = this.#summary ?? {};
    const isEnded = this.#summary !== undefined || this.#errors.kept.length > 0;
    return {
      report: "rec-push",
      schema: 1,
      version,
      command: isCheck ? "check" : "push",
      /** `running`: the command has not ended, or was killed before it could say how. */
      state: isEnded ? "ended" : "running",
      startedAt: this.#startedAt.toISOString(),
      writtenAt: now().toISOString(),
      ...this.#about,
      read,
      counts,
      summary: this.#summary && (summary as Omit<Summary, "read" | "counts">),
      errors: this.#errors.kept,
      otherErrors: this.#errors.others,
      files: this.#files.kept,
      otherFiles: this.#files.others,
      /** The groups with the most rows first. */
      rejects: [...this.#rejects.values()].toSorted((one, other) => other.rows - one.rows),
      otherRejects: this.#otherRejects,
      answers: [...this.#answers.values()],
      otherAnswers: this.#otherAnswers,
      notices: this.#notices.kept,
      otherNotices: this.#notices.others,
      /** Rows that an earlier process of the run had settled. */
      settledBefore: this.#settledBefore,
      waits: this.#waits,
      timeline: { stepMs: this.#timeline.stepMs, points: this.#timeline.points() },
    } as const;
  }

  #addBatch({ kind, outcome, status: answered, msg, records, ms }: Settled): void {
    const status = answered ?? null;
    const nowMs = this.#command.now().getTime();
    this.#firstRequestMs ??= nowMs - ms;
    this.#timeline.add(nowMs - this.#firstRequestMs, records.length, ms);
    const name = JSON.stringify([kind, outcome, status, msg]);
    let answer = this.#answers.get(name);
    if (answer === undefined) {
      if (this.#answers.size >= MOST) {
        this.#otherAnswers += 1;
        return;
      }
      answer = { kind, outcome, status, msg: keepText(msg), batches: 0, rows: 0 };
      this.#answers.set(name, answer);
    }
    answer.batches += 1;
    answer.rows += records.length;
  }

  #addReject(file: string, problem: RowProblem): void {
    const { line, record, value } = problem;
    this.#addRejects(file, problem, {
      rows: 1,
      lines: [line],
      values: value === undefined ? [] : [value],
      ...(sharesLine(problem) && { records: [record!] }),
    });
  }

  #addRejects(file: string, problem: RowProblem, many: Omit<ProblemGroup, "first">): void {
    const { column, cell, header, field, reason, hint } = problem;
    const name = JSON.stringify([file, column, field, reason, hint]);
    let group = this.#rejects.get(name);
    if (group === undefined) {
      if (this.#rejects.size >= MOST) {
        this.#otherRejects += many.rows;
        return;
      }
      const texts = {
        header: header && keepText(header),
        reason: keepText(reason),
        hint: hint && keepText(hint),
      };
      group = { file, column, isSheet: cell !== undefined, field, ...texts, rows: 0, lines: [], values: [] };
      this.#rejects.set(name, group);
    }
    group.rows += many.rows;
    const room = MOST_LINES - group.lines.length;
    const { lines, records } = many;
    if (records !== undefined || group.records !== undefined)
      (group.records ??= [...group.lines]).push(...(records ?? lines).slice(0, room));
    group.lines.push(...lines.slice(0, room));
    for (const value of many.values) {
      const kept = keepText(value, 200);
      if (group.values.length < MOST_VALUES && !group.values.includes(kept)) group.values.push(kept);
    }
  }
}

/** Rows of one file with the same problem, and the first of their lines and different values. */
interface RejectGroup {
  readonly file: string;
  readonly column: number | undefined;
  readonly header: string | undefined;
  readonly field: string | undefined;
  readonly reason: string;
  readonly hint: string | undefined;
  /** True for a column of a workbook, whose cells have names. */
  readonly isSheet: boolean;
  rows: number;
  readonly lines: number[];
  /** JSON records, if their lines do not tell which they are. */
  records?: number[];
  readonly values: string[];
}

/** Batches with the same answer and outcome. */
interface Answer extends Pick<Settled, "kind" | "outcome" | "msg"> {
  readonly status: number | null;
  batches: number;
  rows: number;
}

/** The first of many items, and the number of the others. */
class Bounded<Item> {
  readonly kept: Item[] = [];
  others = 0;

  add(item: Item): void {
    if (this.kept.length < MOST) this.kept.push(item);
    else this.others += 1;
  }
}

interface Step {
  rows: number;
  batches: number;
  sumMs: number;
  longestMs: number;
}

/** What settled when, in equal steps of time; a longer run has longer steps, not more of them. */
class Timeline {
  stepMs = 100;
  #steps: Step[] = [];

  /** Adds a batch that settled at a time since the first request. */
  add(atMs: number, rows: number, tookMs: number): void {
    while (atMs >= this.stepMs * MOST_STEPS) {
      this.stepMs *= 2;
      const halves = this.#steps;
      this.#steps = [];
      for (const [at, half] of halves.entries()) this.#add(at >> 1, half);
    }
    const at = Math.max(0, Math.floor(atMs / this.stepMs));
    this.#add(at, { rows, batches: 1, sumMs: tookMs, longestMs: tookMs });
  }

  /** The mean and the longest time from the first attempt of a batch to its end are `null` where none settled. */
  points() {
    return this.#steps.map(({ rows, batches, sumMs, longestMs }, at) => ({
      atMs: at * this.stepMs,
      rows,
      batches,
      meanMs: batches === 0 ? null : Math.round(sumMs / batches),
      longestMs: batches === 0 ? null : Math.round(longestMs),
    }));
  }

  #add(at: number, { rows, batches, sumMs, longestMs }: Step): void {
    while (this.#steps.length <= at) this.#steps.push({ rows: 0, batches: 0, sumMs: 0, longestMs: 0 });
    const step = this.#steps[at]!;
    step.rows += rows;
    step.batches += batches;
    step.sumMs += sumMs;
    step.longestMs = Math.max(step.longestMs, longestMs);
  }
}

function errorOf({ code, message, hint, place }: RecPushError) {
  const texts = { message: keepText(message, 32_768), hint: hint && keepText(hint, 32_768) };
  return { code, ...texts, file: place?.file, line: place?.line };
}

/** One input, as far as its survey got. */
function fileOf({ reading, counts, columns, notices, pins }: SurveyReport) {
  const { file, format, encoding, dialect } = reading;
  return {
    file,
    format,
    reading: describeReading(reading),
    encoding,
    delimiter: format === "xlsx" ? undefined : dialect?.delimiter,
    headerLine: dialect?.headerLine,
    rows: counts.rows,
    updates: counts.updates,
    creates: counts.creates,
    skipped: counts.skipped,
    invalid: counts.invalid,
    columns: columns.slice(0, MOST).map(keepColumn),
    otherColumns: Math.max(0, columns.length - MOST),
    notices: notices.slice(0, MOST).map(({ text }) => keepText(text)),
    unpinned: pins.map(({ option }) => option),
  };
}

function keepColumn(column: ColumnReport): ColumnReport {
  const keep = (text: string): string => keepText(text, 200);
  const samples = column.samples.map(({ before, after }) => ({ before: keep(before), after: keep(after) }));
  const settledBy = column.settledBy === undefined ? undefined : keep(column.settledBy);
  return { ...column, header: keep(column.header), settledBy, samples };
}

/** A text that is kept as long as a run lasts: the beginning of a long one, without holding the whole in memory. */
function keepText(text: string, mostCharacters = 2000): string {
  if (text.length <= mostCharacters) return text;
  // A plain slice would keep the text that it was cut from in memory.
  return `${Buffer.from(text.slice(0, mostCharacters), "utf16le").toString("utf16le")}…`;
}
