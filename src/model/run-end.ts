import type { Counts, DoubtFile, SurveyReport, Whereabouts } from "./event.ts";
import type { RecPushError } from "./failure.ts";

/** How a run ended; `failure` is what stopped it. */
export interface RunEnd {
  readonly read: number;
  readonly counts: Counts;
  /** Requests that settled records. */
  readonly batches: number;
  /** The places of the rows that a person must act on, up to a limit. */
  readonly whereabouts: readonly Whereabouts[];
  /** Its runs that are kept, one per input, in order. */
  readonly runs: readonly string[];
  /** Those that have nothing left to do, and are closed once the user knows how the command ended. */
  readonly doneRuns: readonly string[];
  /** Older runs on the table that are still open. */
  readonly openRuns: readonly string[];
  /** The runs whose content, or some of whose records, are left out now because they were pushed before. */
  readonly earlier: readonly EarlierEnd[];
  /** Creates left out that were created before with other values, and that nobody was told of yet. */
  readonly newlyChanged: number;
  /** Those of the runs that have records in doubt. */
  readonly doubts: readonly DoubtfulRun[];
  /** The option texts that would pin the inferences, each once. */
  readonly unpinned: readonly string[];
  readonly failure: RecPushError | undefined;
  /** False if the run was refused before it was resumed: the counts are those that earlier commands left. */
  readonly hasBegun?: boolean;
  /** The directory of the plan, as a word of a command, if a shard of it was pushed. */
  readonly plan?: string | undefined;
  /** Files with rows that a person must look at; a file without rows is not made. */
  readonly rejectsFiles?: readonly RejectsFile[];
  /** True if the rows that it left to be mended were mended and pushed, or sent again by a later push. */
  readonly isSettledSince?: boolean;
  /** Files with rows in doubt, one per run. */
  readonly doubtFiles?: readonly DoubtFile[];
}

/** A run that has records in doubt. */
export interface DoubtfulRun {
  readonly run: string;
  /** Its input, as named. */
  readonly file: string;
  /** What a resume names in place of the run, if it is the run of a shard. */
  readonly calledBy?: string | undefined;
  readonly records: number;
  /** The service refused one of the requests as a whole: it would refuse it again. */
  readonly isRefused?: boolean | undefined;
  /** The name of what it has in doubt now. */
  readonly doubt: string;
  /** What has become of its input, without which nothing can be sent; `undefined` if that is still the same. */
  readonly inputNow?: "changed" | "gone" | undefined;
  /** Its rows that still have to be sent. */
  readonly left: number;
}

/** An earlier run of the same content, or of some of its records. */
export interface EarlierEnd {
  readonly run: string;
  /** What `rec-push runs` names in its place, if the shards of a plan pushed it. */
  readonly calledBy?: string | undefined;
  /** True if it left rows to be mended. */
  readonly hasRejects: boolean;
  /** Creates of this input that the run left in doubt. */
  readonly inDoubt: number;
  /** The name of that doubt. */
  readonly doubt?: string | undefined;
}

/** A file with rows that are to be mended and pushed. */
export interface RejectsFile {
  /** The input, as named. */
  readonly file: string;
  readonly path: string;
  readonly rows: number;
  /** How many of them have a later row with the same key that was accepted: a push would bring old values back. */
  readonly later: number;
  readonly survey: SurveyReport;
}
