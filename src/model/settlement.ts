import type { RecordKind } from "./record.ts";

/** The outcome of a stretch of records of one kind, and the service's answer. */
export interface Settlement {
  readonly kind: RecordKind;
  /** Places of the records among the updates, or creates, of the input: both ends counted. */
  readonly ordinals: readonly (readonly [first: number, last: number])[];
  readonly batch: number;
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` if none came. */
  readonly status: number | undefined;
  readonly msg: string;
  readonly attempts: number;
}
