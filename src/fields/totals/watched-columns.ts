import type { AmountEvidence } from "../amount/amount-evidence.ts";
import type { NullWords } from "../null-words.ts";

/** The columns of an input, with the facts that detect totals. */
export interface WatchedColumns {
  /** How many there are, in use or not. */
  readonly width: number;
  /** Those that are sent. */
  readonly sent: readonly number[];
  /** The column of the key. */
  readonly key: number | undefined;
  readonly dates: readonly number[];
  readonly digits: readonly number[];
  readonly amounts: readonly WatchedAmounts[];
  /** By column: the words that mean nothing, if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** A column of amounts. */
interface WatchedAmounts {
  readonly index: number;
  readonly field: string;
  /** Holds the sum of the rows so far. */
  readonly evidence: AmountEvidence;
}
