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
  /** True once the service may hold a create of this run. */
  readonly createsSent: boolean;
  /** The option texts that would pin what was inferred, each once. */
  readonly unpinned: readonly string[];
  readonly failure: RecPushError | undefined;
}
