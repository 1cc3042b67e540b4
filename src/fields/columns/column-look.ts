import type { NestedValue } from "../../model/row.ts";
import type { FieldType } from "../value.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** Why only the user can say what the values of a column are. */
export interface TypeDoubt {
  readonly why: string;
  /** The types that it may be, as `--type` writes them, the most likely first. */
  readonly types: readonly string[];
  /** Words among the values that may mean "no value", if they are all that does not fit. */
  readonly words: readonly string[];
}

/** What the values of an undeclared column look like. */
export interface ColumnLook {
  /** The type that all of its values have; text if they have no other. */
  readonly kind: FieldType["kind"];
  readonly doubt: TypeDoubt | undefined;
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
  /** Of a column that may be the key: cells whose value an earlier one has, where the whole rows differ. */
  readonly repeated: number;
  /** The first different values. */
  readonly samples: readonly string[];
  /** Words in it with which a database says that there is no value, as written. */
  readonly nullWords: readonly string[];
}

/** Describes the values of a column; `undefined` if its values were not seen. */
export type LookAt = (column: PlannedColumn) => ColumnLook | undefined;
