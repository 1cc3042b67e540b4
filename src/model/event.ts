import type { Outcome, Settled } from "./outcome.ts";
import type { RowsKind } from "./marker-columns.ts";
import type { RecordKind } from "./record.ts";
import type { Notice, Pin, Reading } from "./reading.ts";
import type { ProblemGroup } from "./problem-groups.ts";
import type { RowProblem } from "./row.ts";

/** How a column goes into the records, as the survey settled it. */
export interface ColumnReport {
  /** 1-based position. */
  readonly column: number;
  readonly header: string;
  /** `undefined` if the column is dropped. */
  readonly field: string | undefined;
  readonly type: "text" | "digits" | "amount" | "date" | undefined;
  /** True for a column that goes to a field by its name although nobody declared it. */
  readonly isOther: boolean;
  /** `DD/MM/YYYY`, `decimal comma`; `undefined` if nothing had to be settled. */
  readonly format: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the other date columns`. */
  readonly settledBy: string | undefined;
  /** Up to three values that differ, as read and as sent. */
  readonly samples: readonly { readonly before: string; readonly after: string }[];
}

/** Rows that the survey counted. */
export interface SurveyCounts {
  readonly rows: number;
  readonly updates: number;
  readonly creates: number;
  /** Rows that give nothing to send. */
  readonly skipped: number;
  /** Rows left out because a later row has their key (`--on-repeat last`). */
  readonly superseded: number;
  /** Rows with at least one problem. */
  readonly invalid: number;
  /** Of the content of those rows. */
  readonly invalidBytes: number;
  /** Rows whose key an earlier row has, as far as counted. */
  readonly repeatedKeys: number;
  /** True if there were more keys than are counted, so that `repeatedKeys` is a lower bound. */
  readonly repeatedKeysBounded: boolean;
}

/** The findings of the first pass over one input. */
export interface SurveyReport {
  readonly reading: Reading;
  /** `undefined` if rows are counted only as they are sent (`--no-survey`). */
  readonly counts: SurveyCounts | undefined;
  /** The first problems, bounded; `invalid` counts all rows that have any. */
  readonly problems: readonly RowProblem[];
  /** All of them, those alike together. */
  readonly groups: readonly ProblemGroup[];
  readonly columns: readonly ColumnReport[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** Rows per outcome; together they are the rows read. */
export type Counts = Readonly<Record<Outcome, number>>;

/** A stretch of one file whose rows had one outcome that a person must act on. */
export interface Whereabouts {
  readonly outcome: "refused" | "failed" | "inDoubt";
  readonly kind: RecordKind;
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly rows: number;
}

/** How a command ended. */
export interface Summary {
  readonly run: string;
  /** All runs that are kept of the command, one an input. */
  readonly runs: readonly string[];
  /** Older runs on the table that are still open. */
  readonly openRuns: readonly string[];
  /** True if they are to be told where all else went well and is not told. */
  readonly areOpenRunsNews: boolean;
  readonly read: number;
  readonly counts: Counts;
  /** The places of the rows that were not accepted, bounded. */
  readonly whereabouts: readonly Whereabouts[];
  /** Requests that settled records. */
  readonly batches: number;
  readonly ms: number;
  readonly exitCode: number;
  /** One sentence: why it ended so. */
  readonly reason: string;
  /** The next steps in order; empty if there is nothing to do. */
  readonly next: readonly string[];
  readonly safeToRerun: boolean;
  readonly unpinned: readonly string[];
  /** The files that hold rows that a person must look at. */
  readonly rejectsFiles: readonly {
    readonly file: string;
    readonly path: string;
    readonly rows: number;
    readonly kind: RowsKind;
    readonly isSuperseded: boolean;
  }[];
  /** The files that hold rows in doubt, one a run. */
  readonly doubtFiles: readonly DoubtFile[];
}

/** A file of the rows that a run has in doubt. */
export interface DoubtFile {
  readonly run: string;
  readonly path: string;
  readonly rows: number;
}

/** A config in use, and which parts of it. */
export interface ConfigUse {
  /** Absolute. */
  readonly path: string;
  /** The tables that it has sections for. */
  readonly tables: readonly string[];
  /** The table whose section holds; `undefined` if none does. */
  readonly table?: string;
  readonly profile?: string;
}

/** The events of a run. Reporters turn them into words or JSON; nothing else writes to the terminal. */
export type RunEvent =
  | {
      readonly kind: "run";
      readonly run: string;
      readonly table: string;
      readonly url: string;
      readonly files: readonly string[];
      /** The most important first. */
      readonly configs?: readonly ConfigUse[] | undefined;
    }
  | {
      readonly kind: "resumed";
      readonly file: string;
      readonly run: string;
      /** Records that an earlier process of the run settled. */
      readonly settledRows: number;
    }
  | {
      readonly kind: "surveying";
      readonly file: string;
      /** Rows surveyed so far; none while the bytes are read for the first time. */
      readonly rows: number;
      readonly isSurvey: boolean;
      /** Of this pass, from 0 to 1; `undefined` where the size is unknown. */
      readonly share: number | undefined;
    }
  | { readonly kind: "survey"; readonly survey: SurveyReport }
  | {
      readonly kind: "notice";
      readonly file?: string;
      readonly notice: Notice;
      /** True for a notice that is shown with --quiet too. */
      readonly isAlwaysShown?: true;
    }
  | { readonly kind: "settled"; readonly file: string; readonly settled: Settled }
  | { readonly kind: "reject"; readonly file: string; readonly problem: RowProblem }
  /** Invalid rows, those alike together: in words they take the place of the `reject` events of the file. */
  | { readonly kind: "problems"; readonly file: string; readonly groups: readonly ProblemGroup[] }
  | {
      readonly kind: "waiting";
      readonly forMs: number;
      readonly why: string;
      /** True where the service said for how long. */
      readonly isAsked: boolean;
    }
  /** A request left, for the first time or again, or ended. */
  | { readonly kind: "request"; readonly change: "sent" | "sentAgain" | "ended" }
  | { readonly kind: "progress"; readonly settledRows: number; readonly totalRows: number | undefined }
  | { readonly kind: "summary"; readonly summary: Summary };
