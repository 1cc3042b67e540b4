import type { RecordList } from "./record-list.ts";
import type { RecordKind } from "./record.ts";

/** The outcome of a row. The JSON events have the same names. */
export type Outcome = "accepted" | "refused" | "failed" | "inDoubt" | "rejected" | "notSent" | "skipped";

/** The records that one request settled; the halves of a batch settle separately. */
export interface Settled {
  /** Number of the batch; halves share it. */
  readonly batch: number;
  readonly kind: RecordKind;
  readonly records: RecordList;
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` if none came. */
  readonly status: number | undefined;
  /** The service's `msg`, or a description of the failure; one line, control characters escaped, trimmed. */
  readonly msg: string;
  /** Requests made for these records. */
  readonly attempts: number;
  /** From the first attempt to settling, in milliseconds. */
  readonly ms: number;
}
