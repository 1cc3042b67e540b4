import type { Counts, DoubtFile, SurveyReport, Whereabouts } from "./event.ts";
import type { RecPushError } from "./failure.ts";
import type { RowsKind } from "./marker-columns.ts";

/** The end of a run; `failure` stopped it. */
export interface RunEnd {
  readonly read: number;
  readonly counts: Counts;
  /** Requests that settled records. */
  readonly batches: number;
  /** The places of the rows that a person must act on, bounded. */
  readonly whereabouts: readonly Whereabouts[];
  /** The runs that are kept of it, one an input, in order. */
  readonly runs: readonly string[];
  /** Those of them that have nothing left to do, and are closed once the user knows how the command ended. */
  readonly doneRuns: readonly string[];
  /** Older runs on the table that are still open. */
  readonly openRuns: readonly string[];
  /** The runs whose content, or some of whose records, are left out now because they were pushed before. */
  readonly earlier: readonly EarlierEnd[];
  /** Creates left out that were created before with other values, and of which nobody was told yet. */
  readonly newlyChanged: number;
  /** Those of its runs that have records in doubt. */
  readonly doubts: readonly DoubtfulRun[];
  /** The option texts that would pin the inferences, each once. */
  readonly unpinned: readonly string[];
  readonly failure: RecPushError | undefined;
  /** Files of rows that a person must look at; those without rows are not made. */
  readonly rejectsFiles?: readonly RejectsFile[];
  /** Files of rows in doubt, one a run. */
  readonly doubtFiles?: readonly DoubtFile[];
}

/** A run that has records in doubt. */
export interface DoubtfulRun {
  readonly run: string;
  /** Its input, as named. */
  readonly file: string;
  readonly records: number;
  /** Its rows that are still to be sent. */
  readonly left: number;
  /** Until when they can be sent again under idempotency keys, in milliseconds since 1970; `undefined` if they cannot. */
  readonly repeatableUntil?: number | undefined;
}

/** An earlier run of the same content or of some of its records. */
export interface EarlierEnd {
  readonly run: string;
  /** True if it left rows to be mended. */
  readonly hasRejects: boolean;
  /** Creates of the input that it left in doubt. */
  readonly inDoubt: number;
}

/** A file of rows that a person must look at: those of the kind `rejects` are to be mended and pushed. */
export interface RejectsFile {
  /** The input, as named. */
  readonly file: string;
  readonly path: string;
  readonly rows: number;
  readonly kind: RowsKind;
  /** True if a later row with the key was accepted: pushing these would bring old values back. */
  readonly isSuperseded: boolean;
  readonly survey: SurveyReport;
}
