import type { AmountEvidence } from "../amount/amount-evidence.ts";
import type { NullWords } from "../null-words.ts";

/** The columns of an input, with what is needed to detect totals. */
export interface WatchedColumns {
  /** The number of columns, in use or not. */
  readonly width: number;
  /** The columns that are sent. */
  readonly sent: readonly number[];
  /** The column of the key. */
  readonly key: number | undefined;
  readonly dates: readonly number[];
  readonly digits: readonly number[];
  readonly amounts: readonly WatchedAmounts[];
  /** By column: the words that mean "no value", if there are any. */
  readonly nullsAt: readonly (NullWords | undefined)[];
}

/** A column of amounts. */
interface WatchedAmounts {
  readonly index: number;
  readonly field: string;
  /** The evidence, which holds the sum of the rows so far. */
  readonly evidence: AmountEvidence;
}
