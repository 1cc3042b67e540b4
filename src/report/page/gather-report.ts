import type { RunEvent, Settled, Summary, SurveyReport } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import { type ProblemGroup, ProblemGroups, type RowProblem } from "../../model/rows.ts";
import { describeReading } from "../summary-lines.ts";

/** No list of a report is longer, but those of lines and values. */
const MOST = 200;
const MOST_OF_GROUP = { lines: 20, values: 5 };
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
  /** By file: problems that were reported one by one. */
  readonly #problems = new Map<string, ProblemGroups>();
  /** Those of files whose problems were reported all at once. */
  readonly #rejects = new Bounded<RejectGroup>();
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
        return this.#notices.add(keepTexts(isNamed ? notice.text : `${file}: ${notice.text}`));
      }
      case "settled":
        return this.#addBatch(event.settled);
      case "problems":
        this.#told.add(event.file);
        for (const group of event.groups) this.#rejects.add(rejectOf(event.file, group), group.rows);
        return;
      case "reject":
        return this.#addProblem(event.file, event.problem);
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
      ...this.#rejected(),
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
    this.#timeline.add(nowMs - this.#firstRequestMs, records.length);
    const name = JSON.stringify([kind, outcome, status, msg]);
    let answer = this.#answers.get(name);
    if (answer === undefined) {
      if (this.#answers.size >= MOST) {
        this.#otherAnswers += 1;
        return;
      }
      answer = { kind, outcome, status, msg: keepTexts(msg), batches: 0, rows: 0 };
      this.#answers.set(name, answer);
    }
    answer.batches += 1;
    answer.rows += records.length;
  }

  #addProblem(file: string, problem: RowProblem): void {
    if (this.#told.has(file)) return;
    const groups = this.#problems.get(file) ?? new ProblemGroups(MOST_OF_GROUP);
    this.#problems.set(file, groups);
    const { value } = problem;
    groups.add({ ...keepTexts(problem), ...(value !== undefined && { value: keepTexts(value, CELL) }) });
  }

  /** The groups with the most rows first, and the number of the rows of those that are left out. */
  #rejected() {
    const one = [...this.#problems].flatMap(([file, groups]) =>
      groups.list().map((group) => rejectOf(file, group)),
    );
    const all = [...this.#rejects.kept, ...one].toSorted((a, b) => b.rows - a.rows);
    const others = [...this.#problems.values()].reduce(
      (sum, groups) => sum + groups.others,
      this.#rejects.others,
    );
    return {
      rejects: all.slice(0, MOST),
      otherRejects: all.slice(MOST).reduce((sum, { rows }) => sum + rows, others),
    };
  }
}

type RejectGroup = ReturnType<typeof rejectOf>;

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

  add(item: Item, weight = 1): void {
    if (this.kept.length < MOST) this.kept.push(item);
    else this.others += weight;
  }
}

/** What settled when, in equal steps of time; a longer run has longer steps, not more of them. */
class Timeline {
  stepMs = 100;
  #steps: { readonly rows: number; readonly batches: number }[] = [];

  /** Adds a batch that settled at a time since the first request. */
  add(atMs: number, rows: number): void {
    while (atMs >= this.stepMs * MOST_STEPS) {
      this.stepMs *= 2;
      const halves = this.#steps;
      this.#steps = [];
      for (const [at, half] of halves.entries()) this.#add(at >> 1, half.rows, half.batches);
    }
    this.#add(Math.max(0, Math.floor(atMs / this.stepMs)), rows, 1);
  }

  points() {
    return this.#steps.map((step, at) => ({ atMs: at * this.stepMs, ...step }));
  }

  #add(at: number, rows: number, batches: number): void {
    while (this.#steps.length <= at) this.#steps.push({ rows: 0, batches: 0 });
    const step = this.#steps[at]!;
    this.#steps[at] = { rows: step.rows + rows, batches: step.batches + batches };
  }
}

/** Rows of one file with the same problem; `isSheet` for a column of a workbook, whose cells have names. */
function rejectOf(file: string, { first, rows, lines, records, values }: ProblemGroup) {
  const { column, cell, header, field, reason, hint } = keepTexts(first);
  const isSheet = cell !== undefined;
  const about = { file, column, isSheet, field, header, reason, hint, rows, lines };
  return { ...about, ...(records && { records }), values: keepTexts(values, CELL) };
}

function errorOf({ code, message, hint, place }: RecPushError) {
  return keepTexts({ code, message, hint, file: place?.file, line: place?.line }, 32_768);
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
    columns: keepTexts(columns.slice(0, MOST), CELL),
    otherColumns: Math.max(0, columns.length - MOST),
    notices: keepTexts(notices.slice(0, MOST).map(({ text }) => text)),
    unpinned: pins.map(({ option }) => option),
  };
}

/** So much of a cell is enough to find it. */
const CELL = 200;

/** Plain data that is kept as long as a run lasts: of each long text the beginning, without holding the whole in memory. */
function keepTexts<Data>(data: Data, most = 2000): Data {
  const keep = (value: unknown): unknown => {
    if (typeof value === "string") return value.length <= most ? value : `${copyOf(value.slice(0, most))}…`;
    if (Array.isArray(value)) return value.map(keep);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, keep(member)]));
  };
  return keep(data) as Data;
}

/** A slice would keep the text that it was cut from in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
