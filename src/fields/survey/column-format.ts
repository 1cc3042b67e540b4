import type { AddAlike } from "../../kernel/evidence.ts";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { Notice } from "../../model/reading.ts";
import type { Cell } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { amountReader } from "../amount/amount.ts";
import { dateReader, type DateRules } from "../date/date.ts";
import { keyReader, readDigits, type ReadKey } from "../key.ts";
import { type FieldType, readText, type ReadValue, type Unreadable } from "../type-text.ts";

/** How the cells of a column are read, as plain data; {@link readerOf} makes the reader. */
export type FormatSpec =
  /** `literals`: words that are keys although they do not look like one. */
  | { readonly kind: "key"; readonly literals?: readonly string[] | undefined }
  | { readonly kind: "text" }
  | { readonly kind: "digits" }
  /** `marks`: the decimal marks that are left; if both are, only amounts with the same value under both are read. */
  | { readonly kind: "amount"; readonly marks: number }
  | ({ readonly kind: "date" } & DateRules);

/** Makes the reader of a settled column. */
export function readerOf(spec: Exclude<FormatSpec, { kind: "key" }>): ReadValue;
export function readerOf(spec: FormatSpec): ReadKey;
export function readerOf(spec: FormatSpec): ReadKey {
  switch (spec.kind) {
    case "key":
      return keyReader(spec.literals);
    case "text":
      return readText;
    case "digits":
      return readDigits;
    case "amount":
      return amountReader(spec.marks);
    case "date":
      return dateReader(spec);
  }
}

/** The settled format of one column, used by its reader and in messages. */
export interface ColumnFormat {
  readonly spec: FormatSpec;
  /** `DD/MM/YYYY`, `decimal comma`; absent if nothing had to be settled. */
  readonly format?: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the column date_closed`; absent likewise. */
  readonly settledBy?: string | undefined;
  /** True if next month's file of the same kind might be read differently. */
  readonly inferred?: boolean;
}

/** A cell that a message can name. */
export interface Example {
  readonly line: number;
  readonly value: string;
}

/** Writes `line 412 "26/03/2024"`. */
export function showExample({ line, value }: Example): string {
  return `line ${line} ${quoteText(value)}`;
}

/** Stands for a wire value that is not known before the whole column is. */
export const NOT_YET_KNOWN = "?";

/**
 * The evidence that the survey collects from the cells of one used column, in bounded memory and in the order of the file.
 */
export interface ColumnEvidence {
  /**
   * Takes one cell that is not empty; returns its wire value, {@link NOT_YET_KNOWN}, or why it can never be read, whatever the
   * format; `undefined` for a key that is blank after all.
   */
  readonly take: (cell: Cell, line: number) => string | undefined | Unreadable;
  /** The evidence in a further cell of the same shape, in a record; `undefined` if each of them has to be taken. */
  readonly alike: (cell: Cell) => AddAlike | undefined;
  /** True if these bytes of a text are certainly no evidence. */
  readonly isIdle?: (bytes: Buffer, start: number, end: number) => boolean;
  /** Notes that the cell taken last is a value of a record. */
  readonly count?: () => void;
  /** How the column is read, or why only the user can say it. */
  readonly settle: (column: TypedColumn, agreed: AgreedOrder | undefined) => ColumnFormat | ColumnDoubt;
  /** Notices about its values for people; `lead` names the column. */
  readonly notices?: (lead: string) => readonly Notice[];
}

/** The order on which all date columns of a file that have proof of one agree. */
export interface AgreedOrder {
  readonly orders: number;
  readonly disproved: number;
  readonly settledBy: string;
}

/** A used column of one file, with its evidence from the survey. */
export interface TypedColumn {
  /** The header, for messages. */
  readonly name: string;
  readonly field: string;
  readonly type: FieldType;
  readonly evidence: ColumnEvidence;
}

/** Why a column of a file cannot be settled, in words that name the cells. */
export interface ColumnDoubt {
  /** Stable: `ambiguous-date`, `contradicting-formats`. */
  readonly code: FailureCode;
  readonly line: number;
  readonly text: string;
  /** Options that each settle it: an answer is for its column, as another may be written otherwise. */
  readonly options: readonly string[];
}

/** A doubt about a cell, which begins the text. */
export function doubtAbout(
  code: FailureCode,
  example: Example,
  rest: string,
  options: readonly string[],
): ColumnDoubt {
  return { code, line: example.line, text: `${showExample(example)} ${rest}`, options };
}
