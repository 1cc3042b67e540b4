import type { RecordKind } from "./record.ts";

/** What became of a stretch of records of one kind: outcome, and what the service said. */
export interface Settlement {
  readonly kind: RecordKind;
  /** Places of the records among the updates, or creates, of the input: both ends counted. */
  readonly ordinals: readonly (readonly [first: number, last: number])[];
  readonly batch: number;
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  /** HTTP status of the last answer; `undefined` where none came. */
  readonly status: number | undefined;
  readonly msg: string;
  readonly attempts: number;
}
