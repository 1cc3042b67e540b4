import type { ColumnName } from "./column-names.ts";

/** A column and what happens to it. */
export interface PlannedColumn extends ColumnName {
  /**
   * `nameless`: a used column without a name, so that all its cells must be empty; `undecided`: nothing says which
   * field it goes to, or that it is left out.
   */
  readonly use: "field" | "dropped" | "nameless" | "undecided";
  /** Set if `use` is `field`; otherwise the field that its header means or would become, if any. */
  readonly field: string | undefined;
  /** True if `--map` gave the field. */
  readonly isMapped: boolean;
  /** True if it is not declared, so that `--other-columns` decides, or a question stops the run. */
  readonly isOther: boolean;
}
