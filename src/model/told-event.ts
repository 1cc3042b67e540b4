import type { ColumnReport, Counts, Settled, Summary, SurveyCounts } from "./counts.ts";
import type { FailureCode } from "./failure-codes.ts";
import type { FailureKind } from "./failure.ts";
import type { RowProblem } from "./rows.ts";
import type { Notice, Reading } from "./reading.ts";

// The events as programs get them: with `--json` as lines, from the library as objects. Names are a public interface:
// fields may be added, never changed.

/** The place of a row in an input. */
interface ToldPlace {
  readonly file: string;
  readonly line?: number | undefined;
}

/** The run begins. */
export interface BeganEvent {
  readonly event: "run";
  readonly run: string;
  readonly table: string;
  readonly url: string;
  readonly files: readonly string[];
  /** The configs in use, the most important first, and which parts of them. */
  readonly configs: readonly {
    readonly path: string;
    readonly table?: string | undefined;
    readonly profile?: string | undefined;
  }[];
}

/** A run that was left open goes on. */
export interface ResumedEvent {
  readonly event: "resumed";
  readonly file: string;
  readonly run: string;
  /** Records that an earlier process of the run settled. */
  readonly settledRows: number;
}

/** The findings of the first pass over one input. */
export interface SurveyEvent
  extends
    Pick<Reading, "file" | "format" | "dialect" | "fingerprint">,
    Partial<Pick<Reading, "encoding">>,
    Omit<SurveyCounts, "invalidBytes" | "superseded"> {
  readonly event: "survey";
  /** The sheet of a workbook. */
  readonly sheet?: string | undefined;
  /** Of a workbook: the row of the sheet that holds the header. */
  readonly headerLine?: number | undefined;
  readonly superseded?: number | undefined;
  readonly columns: readonly ColumnReport[];
  readonly notices: readonly Notice[];
  /** Options that would pin what was inferred. */
  readonly unpinned: readonly string[];
}

/** A remark that stops nothing. */
export interface NoticeEvent extends Notice {
  readonly event: "notice";
  readonly file?: string | undefined;
}

/** One request settled records. */
export interface BatchEvent extends Omit<Settled, "records" | "status"> {
  readonly event: "batch";
  readonly rows: number;
  readonly first: ToldPlace;
  readonly last: ToldPlace;
  /** HTTP status of the last answer; null if none came. */
  readonly status: number | null;
}

/** A row that is not sent, or that the service refused. */
export interface RejectEvent extends Partial<RowProblem> {
  readonly event: "reject";
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** The push waits before it tries again. */
export interface WaitingEvent {
  readonly event: "waiting";
  readonly ms: number;
  readonly reason: string;
  /** True where the service said for how long. */
  readonly isAsked: boolean;
}

/** Why the run stopped or did not start. */
export interface ErrorEvent {
  readonly event: "error";
  readonly kind: FailureKind;
  readonly code: FailureCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** How the run ended; always the last event of a run. */
export interface SummaryEvent extends Omit<Summary, "counts" | "next">, Counts {
  readonly event: "summary";
  /** The steps in order. */
  readonly next: readonly Step[];
  /** Of a run that its rows stopped: the problems that have no `reject` event. */
  readonly untoldRejects?: number;
}

/** What to do next. */
export interface Step {
  /** What it is for, or all of it in words. */
  readonly why: string;
  /** For a shell. */
  readonly command?: string;
  /** What follows the command. */
  readonly after?: string;
}

/** An event without what every event has. */
export type ToldEvent =
  | BeganEvent
  | ResumedEvent
  | SurveyEvent
  | NoticeEvent
  | BatchEvent
  | RejectEvent
  | WaitingEvent
  | ErrorEvent
  | SummaryEvent;
