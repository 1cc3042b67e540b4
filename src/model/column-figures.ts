/** The figures of a used column, over the rows that give a record. */
export interface ColumnFigures {
  readonly field: string;
  readonly kind: "text" | "digits" | "amount" | "date";
  /** Records in which it has a value. */
  readonly filled: number;
  /** The first and the last day, as `20160705`, invalid rows included. */
  readonly dates?: { readonly first: number; readonly last: number } | undefined;
  /**
   * `units` times ten to the power of minus `decimals`; also `undefined` if it was not kept because of too many
   * decimals.
   */
  readonly sum?: { readonly units: bigint; readonly decimals: number } | undefined;
}
