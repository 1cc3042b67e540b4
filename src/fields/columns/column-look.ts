import type { NestedValue } from "../../model/row.ts";
import type { FieldType } from "../value.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** What the values of an undeclared column look like. */
export interface ColumnLook {
  /** Text if most of its values have no other form. */
  readonly kind: FieldType["kind"];
  /** Why values that look like this may still be something else. */
  readonly doubt: string | undefined;
  /** The kind of nested JSON value in the column, which cannot be sent to any field. */
  readonly nested: NestedValue["what"] | undefined;
  /** Rows that hold nothing but an object or array in this column. */
  readonly alone: number;
  /** The types that most of its values can be read as. */
  readonly fits: ReadonlySet<FieldType["kind"]>;
  /** How many values with a digit cannot be read as a type; those without are words, which other rules judge. */
  readonly misfits: Readonly<Record<FieldType["kind"], number>>;
  readonly rows: number;
  /** Cells that are not empty. */
  readonly filled: number;
  /** Cells of a column that may be the key whose value an earlier one has; 0 for other columns. */
  readonly repeated: number;
  /** The first different values. */
  readonly samples: readonly string[];
  /** Words in it with which a database says that there is no value, as written. */
  readonly nullWords: readonly string[];
}

/** Describes the values of a column; `undefined` if its values were not seen. */
export type LookAt = (column: PlannedColumn) => ColumnLook | undefined;
