import type { Counts, Whereabouts } from "./event.ts";
import type { RecPushError } from "./failure.ts";

/** How a run ended; `failure` is what stopped it. */
export interface RunEnd {
  readonly read: number;
  readonly counts: Counts;
  /** Requests that settled records. */
  readonly batches: number;
  /** Where the rows are that a person must act on, bounded. */
  readonly whereabouts: readonly Whereabouts[];
  /** The runs that are kept of it, one an input, in order. */
  readonly runs: readonly string[];
  /** Older runs on the table that are still open. */
  readonly openRuns: readonly string[];
  /** How the runs ended whose content was pushed before and is left out now. */
  readonly earlierExitCodes: readonly number[];
  /** The option texts that would pin what was inferred, each once. */
  readonly unpinned: readonly string[];
  readonly failure: RecPushError | undefined;
}
