import type { PreparedRecord, RecordKind } from "./record.ts";

/** What became of a row. The names are those of the JSON events. */
export type Outcome = "accepted" | "refused" | "failed" | "inDoubt" | "rejected" | "notSent" | "skipped";

/** What one request settled: halves of a batch settle one by one. */
export interface Settled {
  /** Number of the batch; halves share it. */
  readonly batch: number;
  readonly kind: RecordKind;
  readonly records: readonly PreparedRecord[];
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` where none came. */
  readonly status: number | undefined;
  /** The service's `msg`, or in words what happened instead; one line, control characters escaped, trimmed. */
  readonly msg: string;
  /** Requests made for these records. */
  readonly attempts: number;
  /** From the first attempt to settling, in milliseconds. */
  readonly ms: number;
}
