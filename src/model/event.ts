import type {
  ColumnReport,
  ConfigUse,
  Counts,
  DoubtFile,
  PlaceInDoubt,
  Settled,
  SurveyCounts,
  SurveyReport,
  ToSend,
} from "./counts.ts";
import type { FailureCode } from "./failure-codes.ts";
import type { FailureKind } from "./failure.ts";
import type { ProblemGroup, RowProblem } from "./rows.ts";
import type { Notice, Reading } from "./reading.ts";

// The events of a run. Programs get them as they are: with `--json` as lines, from the library as objects. Names are a
// public interface: fields may be added, never changed.

/** The place of a row in an input, for programs. */
interface ToldPlace {
  readonly file: string;
  readonly line: number;
}

/** The run begins. */
export interface BeganEvent {
  readonly event: "run";
  readonly run: string;
  readonly table: string;
  readonly url: string;
  readonly files: readonly string[];
  /** The configs in use, the most important first, and which parts of them. */
  readonly configs: readonly ConfigUse[];
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
    Omit<SurveyCounts, "superseded"> {
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
export interface RejectEvent extends RowProblem {
  readonly event: "reject";
  readonly file: string;
}

/** The event for a row, with only the facts that events have. */
export function rejectEvent(file: string, problem: RowProblem): RejectEvent {
  const { line, record, column, cell, header, field, value, reason, hint } = problem;
  const about = { line, record, column, cell, header, field, value, reason, hint } as RowProblem;
  return { event: "reject", file, ...about };
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

/** How a command ended, with the rows of each outcome. */
export interface Summary extends Counts {
  readonly event: "summary";
  readonly run: string;
  /** All runs of the command that are kept, one per input, in order. */
  readonly runs: readonly string[];
  /** Older runs on the table that are still open. */
  readonly openRuns: readonly string[];
  readonly read: number;
  readonly inDoubtAt: readonly PlaceInDoubt[];
  /** Requests that settled records. */
  readonly batches: number;
  readonly ms: number;
  readonly exitCode: number;
  /** One sentence that says why it ended in this way. */
  readonly reason: string;
  /** The next steps in order; empty if there is nothing to do. */
  readonly next: readonly string[];
  readonly safeToRerun: boolean;
  /** The option texts that would pin the inferences, each once. */
  readonly unpinned: readonly string[];
  /** The files with rows that are to be mended and pushed. */
  readonly rejectsFiles: readonly {
    readonly file: string;
    readonly path: string;
    readonly rows: number;
    /** How many of them are overtaken by later rows of the command. */
    readonly later: number;
  }[];
  /** The files with rows in doubt, one per run. */
  readonly doubtFiles: readonly DoubtFile[];
  /** Absolute, if the command named one. */
  readonly stateDir?: string | undefined;
}

/** The summary as programs get it; always the last event of a run. */
export interface SummaryEvent extends Summary {
  /** Of a run that its rows stopped: the problems that have no `reject` event. */
  readonly untoldRejects?: number;
}

/** An event as programs get it, without what every event has. */
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

/** What only people are shown. */
type ShownEvent =
  | {
      readonly event: "surveying";
      readonly file: string;
      /** Rows surveyed so far; none while the bytes are read for the first time. */
      readonly rows: number;
      readonly isSurvey: boolean;
      /** The share of this pass that is done, from 0 to 1; `undefined` if the size is unknown. */
      readonly share: number | undefined;
    }
  /** All inputs are surveyed and compared with what was created before; nothing is sent yet. */
  | { readonly event: "ready"; readonly toSend: ToSend }
  /** Invalid rows that stop the run: all of them with like ones grouped, and the first of them one by one. */
  | {
      readonly event: "problems";
      readonly file: string;
      readonly groups: readonly ProblemGroup[];
      readonly first: readonly RowProblem[];
    }
  | { readonly event: "progress"; readonly settledRows: number; readonly totalRows: number | undefined };

/** An event of a run. Reporters show it; nothing else writes to the terminal. */
export type RunEvent =
  | Exclude<ToldEvent, SurveyEvent | ErrorEvent | SummaryEvent>
  | ShownEvent
  /** The findings of a survey: more than programs get. */
  | { readonly event: "survey"; readonly survey: SurveyReport }
  | Summary;
