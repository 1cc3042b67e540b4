import type { RecordKind } from "./record.ts";

/** The outcome of consecutive records of one kind, and the service's answer. */
export interface Settlement {
  readonly kind: RecordKind;
  /** Ranges of numbers among the input's updates, or among its creates, both ends included. */
  readonly ordinals: readonly (readonly [first: number, last: number])[];
  readonly batch: number;
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` if none came. */
  readonly status: number | undefined;
  readonly msg: string;
  readonly attempts: number;
}
