import type { SurveyReport } from "../../model/counts.ts";
import type { BatchEvent, RejectEvent, RunEvent, Summary } from "../../model/event.ts";
import type { RecPushError } from "../../model/failure.ts";
import { type ProblemGroup, ProblemGroups } from "../../model/rows.ts";
import { failureFields, tellSurvey } from "../json-event.ts";
import { listenTo } from "../reporter.ts";
import { describeReading } from "../summary-lines.ts";

/** The longest list of a report, except lines and values. */
const MOST = 200;
const MOST_OF_GROUP = { lines: 20, values: 5 };

/** What a report says about the command itself. */
export interface ReportedCommand {
  readonly isCheck: boolean;
  readonly version: string;
  readonly now: () => Date;
}

/**
 * How one command went, as data: the content of `report.json`, and everything that the page shows. Surveys and errors
 * have the form of their events. Lists are limited in length, and the member after each says how many entries it leaves
 * out.
 */
export type RunReport = ReturnType<ReportGatherer["report"]>;

/** Collects the events of a command into its report, in memory that does not grow with the rows. */
export class ReportGatherer {
  readonly #command: ReportedCommand;
  readonly #startedAt: Date;
  #about = { run: "", table: "", url: "" };
  #summary: Summary | undefined;
  readonly #errors = new Bounded<ReturnType<typeof failureFields>>();
  readonly #files = new Bounded<ReturnType<typeof fileOf>>();
  readonly #notices = new Bounded<string>();
  /** The problems that stop the command. */
  readonly #stopping: RejectGroup[] = [];
  /** By file: the problems of rows that were left out. */
  readonly #problems = new Map<string, ProblemGroups>();
  readonly #answers = new Map<string, Answer>();
  #otherAnswers = 0;

  readonly add: (event: RunEvent) => void = listenTo({
    run: ({ run, table, url }) => void (this.#about = { run, table, url }),
    survey: ({ survey }) => this.#files.add(fileOf(survey)),
    notice: ({ text }) => this.#notices.add(keepTexts(text)),
    batch: (batch) => this.#addBatch(batch),
    problems: ({ file, groups }) => void this.#stopping.push(...groups.map((group) => rejectOf(file, group))),
    reject: (event) => this.#addProblem(event),
    summary: (summary) => void (this.#summary = summary),
  }).emit;

  constructor(command: ReportedCommand) {
    this.#command = command;
    this.#startedAt = command.now();
  }

  fail(failure: RecPushError): void {
    if (failure.parts.length === 0) this.#errors.add(keepTexts(failureFields(failure), 32_768));
    for (const part of failure.parts) this.fail(part);
  }

  report() {
    const { isCheck, version, now } = this.#command;
    return {
      report: "rec-push",
      schema: 1,
      version,
      command: isCheck ? "check" : "push",
      /** `running`: the command has not ended, or was killed before it could say how. */
      state: this.#summary === undefined ? "running" : "ended",
      startedAt: this.#startedAt.toISOString(),
      writtenAt: now().toISOString(),
      ...this.#about,
      summary: this.#summary,
      errors: this.#errors.kept,
      otherErrors: this.#errors.others,
      files: this.#files.kept,
      otherFiles: this.#files.others,
      ...this.#rejected(),
      answers: [...this.#answers.values()],
      otherAnswers: this.#otherAnswers,
      notices: this.#notices.kept,
      otherNotices: this.#notices.others,
    } as const;
  }

  #addBatch({ kind, outcome, status, msg, rows }: BatchEvent): void {
    const name = JSON.stringify([kind, outcome, status, msg]);
    const answer = this.#answers.get(name);
    if (answer !== undefined) {
      answer.batches += 1;
      answer.rows += rows;
    } else if (this.#answers.size < MOST) {
      const first = { kind, outcome, status, msg: keepTexts(msg), batches: 1, rows };
      this.#answers.set(name, first);
    } else this.#otherAnswers += 1;
  }

  #addProblem(event: RejectEvent): void {
    const { event: _, file, ...problem } = event;
    const groups = this.#problems.get(file) ?? new ProblemGroups(MOST_OF_GROUP);
    this.#problems.set(file, groups);
    groups.add(keepTexts(problem));
  }

  /** The groups with the most rows first, and the number of the rows of those that are left out. */
  #rejected() {
    const all = [...this.#stopping];
    let others = 0;
    for (const [file, groups] of this.#problems) {
      all.push(...groups.list().map((group) => rejectOf(file, group)));
      others += groups.others;
    }
    all.sort((a, b) => b.rows - a.rows);
    return {
      rejects: all.slice(0, MOST),
      otherRejects: all.slice(MOST).reduce((sum, { rows }) => sum + rows, others),
    };
  }
}

type RejectGroup = ReturnType<typeof rejectOf>;

/** Batches with the same answer and outcome. */
interface Answer extends Pick<BatchEvent, "kind" | "outcome" | "status" | "msg"> {
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

/** Rows of one file with the same problem: its first one, and those like it. */
function rejectOf(file: string, { first, rows, lines, records, values }: ProblemGroup) {
  const group = { ...keepTexts(first), rows, lines, values: keepTexts(values, CELL) };
  return { file, ...group, ...(records && { records }) };
}

/** One input, as far as its survey got. */
function fileOf(survey: SurveyReport) {
  const { columns, notices, ...told } = tellSurvey(survey);
  return {
    ...keepTexts(told),
    reading: describeReading(survey.reading),
    columns: keepTexts(columns.slice(0, MOST), CELL),
    otherColumns: Math.max(0, columns.length - MOST),
    notices: keepTexts(notices.slice(0, MOST).map(({ text }) => text)),
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
