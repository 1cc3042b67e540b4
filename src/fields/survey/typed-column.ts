import type { FailureCode } from "../../model/failure-codes.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { listSome } from "../list-some.ts";
import type { FieldType } from "../type-text.ts";
import type { Evidence } from "./plain-evidence.ts";

/** A used column of one file, with what the survey has seen in it. */
export interface TypedColumn {
  /** The header, for messages. */
  readonly name: string;
  readonly field: string;
  readonly type: FieldType;
  readonly evidence: Evidence;
}

/** Why a column of a file cannot be settled, in words that name the cells. */
export interface ColumnDoubt {
  /** Stable: `ambiguous-date`, `contradicting-amounts`. */
  readonly code: FailureCode;
  readonly column: TypedColumn;
  readonly line: number;
  readonly text: string;
  /** Options that each settle it: an answer is for its column, as another may be written otherwise. */
  readonly options: readonly string[];
}

/** `the column "date_billed"`, `the columns "date_billed", "date_closed"`, in the order of the file. */
export function nameColumns(columns: readonly { readonly column: TypedColumn }[]): string {
  const names = columns.map(({ column }) => quoteText(column.name));
  return `the ${names.length === 1 ? "column" : "columns"} ${listSome(names)}`;
}
