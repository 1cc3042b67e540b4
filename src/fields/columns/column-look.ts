import type { NestedValue } from "../../model/row.ts";
import type { FieldType } from "../value.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** The form of the values of a column that nobody declared. */
export interface ColumnLook {
  /** Text if most of its values have no other form. */
  readonly kind: FieldType["kind"];
  /** Why values of that form may still be something else. */
  readonly doubt: string | undefined;
  /** The kind of nested JSON value in the column, which no field takes. */
  readonly nested: NestedValue["what"] | undefined;
  /** The types that most of its values read as. */
  readonly fits: ReadonlySet<FieldType["kind"]>;
  readonly rows: number;
  /** Cells that hold something. */
  readonly filled: number;
  /** The first values that differ. */
  readonly samples: readonly string[];
  /** Words in it by which a database writes that there is no value, as they are written. */
  readonly nullWords: readonly string[];
}

/** Describes the values of a column; `undefined` if nobody has seen them. */
export type LookAt = (column: PlannedColumn) => ColumnLook | undefined;
