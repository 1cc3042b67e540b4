import type { AddAlike } from "../../kernel/evidence.ts";
import type { FailureCode } from "../../model/failure-codes.ts";
import type { Cell } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { amountReader, type AmountRules } from "../amount/amount.ts";
import { dateReader, type DateRules } from "../date/date.ts";
import { readDigits } from "../digits.ts";
import { type FieldType, readText, type ReadValue, type Unreadable } from "../type-text.ts";

/** A settled format as plain data; {@link readerOf} makes its reader. */
export type FormatSpec =
  | { readonly kind: "text" }
  | { readonly kind: "digits" }
  | ({ readonly kind: "amount" } & AmountRules)
  | ({ readonly kind: "date" } & DateRules);

/** Makes the reader of a settled column. Throws a usage error for an unknown time zone. */
export function readerOf(spec: FormatSpec): ReadValue {
  switch (spec.kind) {
    case "text":
      return readText;
    case "digits":
      return readDigits;
    case "amount":
      return amountReader(spec);
    case "date":
      return dateReader(spec);
  }
}

/** The settled format of one column, used by its reader and in messages. */
export interface ColumnFormat {
  /** `DD/MM/YYYY`, `decimal comma`; `undefined` if nothing had to be settled. */
  readonly format: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the column date_closed`; `undefined` likewise. */
  readonly settledBy: string | undefined;
  /** True if next month's file of the same kind might be read differently. */
  readonly inferred: boolean;
  readonly spec: FormatSpec;
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

/** Evidence from a column about its format, in bounded memory. The cells come in the order of the file. */
export interface ColumnEvidence {
  /** Adds one cell that is not blank; returns why it can never be read, whatever the format, else `undefined`. */
  readonly add: (cell: Cell, line: number) => Unreadable | undefined;
  /** What a further cell of the same shape adds, in a record; `undefined` if each of them has to be added. */
  readonly alike: (cell: Cell) => AddAlike | undefined;
  /** Notes that the cell added last is a value of a record. */
  readonly count?: () => void;
}

/** A used column of one file, with what the survey has seen in it. */
export interface TypedColumn {
  /** The header, for messages. */
  readonly name: string;
  readonly field: string;
  readonly type: FieldType;
  readonly evidence: ColumnEvidence;
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

/** A doubt about a cell, which begins the text. */
export function doubtAbout(
  code: FailureCode,
  column: TypedColumn,
  example: Example,
  rest: string,
  options: readonly string[],
): ColumnDoubt {
  return { code, column, line: example.line, text: `${showExample(example)} ${rest}`, options };
}
