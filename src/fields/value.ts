import type { Cell } from "../model/row.ts";

/**
 * A date format as `--date-format` and `--type field=date:FORMAT` name it. It fixes what is ambiguous: ISO dates and
 * named months are accepted as well.
 */
export type DateFormat =
  "DD/MM/YYYY" | "MM/DD/YYYY" | "YYYY-MM-DD" | "YY-MM-DD" | "DDMMYYYY" | "excel" | "epoch" | "epoch-ms";

/** The type of a field, with what the user has pinned of it. */
export type FieldType =
  /** `isCertain`: what looks like another type in it is not noted (`text!`). */
  | { readonly kind: "text"; readonly isCertain?: true }
  | { readonly kind: "digits" }
  /** `scale`: decimals to pad to, more are refused (`amount:2`); `decimal`: the column's own mark (`amount:,`). */
  | { readonly kind: "amount"; readonly scale?: number; readonly decimal?: "." | "," }
  /** `pivotYear`: the first of the hundred years that two digits stand for in this column (`date:45` is 1945). */
  | { readonly kind: "date"; readonly format?: DateFormat; readonly pivotYear?: number };

/** Settings that options fix for every column of a type. */
export interface FormatPins {
  readonly dateFormat?: DateFormat;
  readonly decimal?: "." | ",";
  /** IANA name of the zone for date-times that carry an offset: `Europe/Paris`. */
  readonly timeZone?: string;
  /** The first of the hundred years that two digits stand for: 1945. */
  readonly pivotYear?: number;
  /** Words that are keys although they do not look like one: `NA`, `-`. */
  readonly keyLiterals?: readonly string[];
}

/** A cell that has no certain reading: the reason, in one clause, and what settles it. */
export interface Unreadable {
  readonly reason: string;
  readonly hint?: string;
}

/** Converts a cell that is not blank to its wire string, or returns why that is not possible. */
export type ReadValue = (cell: Cell) => string | Unreadable;
