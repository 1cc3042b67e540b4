import type { DoubtFileName, InDoubtAnswer, OrdinalsByKind } from "./journal-entry.ts";

/** The user's decision on the records that were in doubt when it was typed. */
export interface DoubtDecision {
  readonly inDoubt: InDoubtAnswer;
  readonly of: OrdinalsByKind;
  /** Other records, which the decision says are in the service. */
  readonly applied?: OrdinalsByKind;
  /** The file by which it was given. */
  readonly file?: DoubtFileName;
  /** How many decisions the run had seen by then. */
  readonly after: number;
}
