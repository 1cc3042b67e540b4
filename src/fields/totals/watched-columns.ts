import type { AmountSum } from "../amount/amount-sum.ts";
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

/** The sum of a column over the rows so far. */
export interface SumSoFar {
  readonly sum: AmountSum;
  /** The decimal marks that its cells so far leave open; 0 if they are no amounts. */
  readonly marks: number;
  /** The pinned mark as a set; both marks if none is pinned. */
  readonly pinned: number;
}

/** A column of amounts, or one that may hold some. */
interface WatchedAmounts {
  readonly index: number;
  readonly field: string;
  readonly evidence: SumSoFar;
}
