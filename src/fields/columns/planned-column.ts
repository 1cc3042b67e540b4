import type { ColumnName } from "./column-names.ts";

/** A column and what becomes of it. */
export interface PlannedColumn extends ColumnName {
  /**
   * `nameless`: a used column without a name, so that no cell of it may hold anything; `undecided`: its header is no
   * field and nobody said which it is.
   */
  readonly use: "field" | "dropped" | "nameless" | "undecided";
  /** Where `use` is `field`; for a dropped column the field that its header means, if any. */
  readonly field: string | undefined;
  /** True where `--map` named the field. */
  readonly isMapped: boolean;
}
