import type { NestedValue } from "../../model/row.ts";
import type { FieldType } from "../value.ts";
import type { PlannedColumn } from "./planned-column.ts";

/** What the values of a column look like that nobody declared. */
export interface ColumnLook {
  /** Text where most of its values have no other form. */
  readonly kind: FieldType["kind"];
  /** Why values of that form may still be something else. */
  readonly doubt: string | undefined;
  /** What JSON records hold there that no field takes. */
  readonly nested: NestedValue["what"] | undefined;
  /** The types that most of its values read as. */
  readonly fits: ReadonlySet<FieldType["kind"]>;
  readonly rows: number;
  /** Cells that hold something. */
  readonly filled: number;
  /** The first values that differ. */
  readonly samples: readonly string[];
}

/** Tells what the values of a column look like; `undefined` where nobody has seen them. */
export type LookAt = (column: PlannedColumn) => ColumnLook | undefined;
