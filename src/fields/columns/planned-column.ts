import type { ColumnName } from "./column-names.ts";

/** A column and what becomes of it. */
export interface PlannedColumn extends ColumnName {
  /**
   * `nameless`: a used column without a name, so that no cell of it may hold anything; `undecided`: nobody said which
   * field it is, or that it is left out.
   */
  readonly use: "field" | "dropped" | "nameless" | "undecided";
  /** Set if `use` is `field`; for others the field that its header means or would be made, if any. */
  readonly field: string | undefined;
  /** True if `--map` named the field. */
  readonly isMapped: boolean;
  /** True if nobody declared it, so that `--other-columns` answers, or a question stops the run. */
  readonly isOther: boolean;
}
