import type { ColumnReport, RunEvent, Summary, SurveyReport } from "../../model/event.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { Settled } from "../../model/outcome.ts";
import { describeReading } from "../survey-lines.ts";
import { keepText } from "./keep-text.ts";
import { RejectGroups } from "./reject-groups.ts";
import type { ReportedAnswer, ReportedError, ReportedFile, RunReport } from "./run-report.ts";
import { Timeline } from "./timeline.ts";

const MOST_FILES = 100;
const MOST_COLUMNS = 200;
const MOST_ERRORS = 50;
const MOST_ANSWERS = 100;
const MOST_NOTICES = 100;

/** What a report says about the command itself. */
export interface ReportedCommand {
  readonly isCheck: boolean;
  readonly version: string;
  readonly now: () => Date;
}

/** Collects the events of a command into its report, in memory that does not grow with the rows. */
export class ReportGatherer {
  readonly #command: ReportedCommand;
  readonly #startedAt: Date;
  #about = { run: "", table: "", url: "" };
  #summary: Summary | undefined;
  readonly #errors = new Bounded<ReportedError>(MOST_ERRORS);
  readonly #files = new Bounded<ReportedFile>(MOST_FILES);
  readonly #notices = new Bounded<string>(MOST_NOTICES);
  readonly #rejects = new RejectGroups();
  /** Files whose problems were reported all at once. */
  readonly #told = new Set<string>();
  readonly #answers = new Map<string, ReportedAnswer & { batches: number; rows: number }>();
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
        return this.#notices.add(
          keepText(
            file === undefined
              ? notice.text
              : notice.text.startsWith(`${file}: `)
                ? notice.text
                : `${file}: ${notice.text}`,
          ),
        );
      }
      case "settled":
        return this.#addBatch(event.settled);
      case "problems":
        this.#told.add(event.file);
        for (const group of event.groups) this.#rejects.addGroup(event.file, group);
        return;
      case "reject":
        if (!this.#told.has(event.file)) this.#rejects.add(event.file, event.problem);
        return;
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
    const { parts, code, message, hint, place } = failure;
    for (const part of parts) this.fail(part);
    if (parts.length > 0) return;
    const [kept, keptHint] = [keepText(message, 32_768), hint && keepText(hint, 32_768)];
    this.#errors.add({ code, message: kept, hint: keptHint, file: place?.file, line: place?.line });
  }

  report(): RunReport {
    const { isCheck, version, now } = this.#command;
    return {
      report: "rec-push",
      schema: 1,
      version,
      command: isCheck ? "check" : "push",
      state: this.#summary === undefined && this.#errors.kept.length === 0 ? "running" : "ended",
      startedAt: this.#startedAt.toISOString(),
      writtenAt: now().toISOString(),
      ...this.#about,
      ...summaryOf(this.#summary),
      errors: this.#errors.kept,
      otherErrors: this.#errors.others,
      files: this.#files.kept,
      otherFiles: this.#files.others,
      rejects: this.#rejects.list(),
      otherRejects: this.#rejects.others,
      answers: [...this.#answers.values()],
      otherAnswers: this.#otherAnswers,
      notices: this.#notices.kept,
      otherNotices: this.#notices.others,
      settledBefore: this.#settledBefore,
      waits: this.#waits,
      timeline: { stepMs: this.#timeline.stepMs, points: this.#timeline.points() },
    };
  }

  #addBatch({ kind, outcome, status: answered, msg, records, ms }: Settled): void {
    const status = answered ?? null;
    const nowMs = this.#command.now().getTime();
    this.#firstRequestMs ??= nowMs - ms;
    this.#timeline.add(nowMs - this.#firstRequestMs, records.length, ms);
    const name = JSON.stringify([kind, outcome, status, msg]);
    let answer = this.#answers.get(name);
    if (answer === undefined) {
      if (this.#answers.size >= MOST_ANSWERS) {
        this.#otherAnswers += 1;
        return;
      }
      answer = { kind, outcome, status, msg: keepText(msg), batches: 0, rows: 0 };
      this.#answers.set(name, answer);
    }
    answer.batches += 1;
    answer.rows += records.length;
  }
}

/** The first of many items, and the number of the others. */
class Bounded<Item> {
  readonly kept: Item[] = [];
  others = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: Item): void {
    if (this.kept.length < this.#most) this.kept.push(item);
    else this.others += 1;
  }
}

function summaryOf(summary: Summary | undefined): Pick<RunReport, "read" | "counts" | "summary"> {
  if (summary === undefined) return { read: 0, counts: undefined, summary };
  const { read, counts, areOpenRunsNews: _, ...rest } = summary;
  return { read, counts, summary: rest };
}

function fileOf({ reading, counts, columns, notices, pins }: SurveyReport): ReportedFile {
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
    columns: columns.slice(0, MOST_COLUMNS).map(keepColumn),
    otherColumns: Math.max(0, columns.length - MOST_COLUMNS),
    notices: notices.slice(0, MOST_NOTICES).map(({ text }) => keepText(text)),
    unpinned: pins.map(({ option }) => option),
  };
}

function keepColumn(column: ColumnReport): ColumnReport {
  const keep = (text: string): string => keepText(text, 200);
  const samples = column.samples.map(({ before, after }) => ({ before: keep(before), after: keep(after) }));
  const settledBy = column.settledBy === undefined ? undefined : keep(column.settledBy);
  return { ...column, header: keep(column.header), settledBy, samples };
}
