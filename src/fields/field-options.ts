import type { PackedDate } from "./date/calendar.ts";
import type { OddAnswers } from "./odd/suspects.ts";
import type { FieldType, FormatPins } from "./type-text.ts";

/** A column that the user sends to a field. */
export interface MapRule {
  /** A header, or a 1-based position. */
  readonly column: string;
  readonly field: string;
}

/** The declaration of one field in a config; a declared field need not be in every file. */
export interface DeclaredField {
  readonly type?: FieldType;
  /** Sent if the cell is empty, or if the file has no such column. */
  readonly default?: string;
  /** A row without a value is invalid. */
  readonly required?: boolean;
  /** A regular expression (JavaScript, flag `u`) that matches the whole wire value. */
  readonly pattern?: string;
  /** The wire values that are allowed. */
  readonly oneOf?: readonly string[];
}

/** How the columns of an input become fields: everything that options and config say about it. */
export interface FieldOptions extends OddAnswers {
  readonly map: readonly MapRule[];
  /** Headers or 1-based positions. */
  readonly drop: readonly string[];
  /** Headers or 1-based positions; empty keeps all. */
  readonly keep: readonly string[];
  /** Undeclared columns are sent under their names made identifiers, or left out; without it, one stops the run. */
  readonly otherColumns?: "send" | "drop";
  /** By field; each field must be in the file. */
  readonly types: ReadonlyMap<string, FieldType>;
  /** The types that values settled for undeclared columns, by field. */
  readonly otherTypes?: ReadonlyMap<string, FieldType>;
  /** Constants by field, in the order in which they were given. */
  readonly set: ReadonlyMap<string, string>;
  /** Cells that mean "no value", compared exactly (text) or without outer spaces (other types). */
  readonly nulls: readonly string[];
  readonly pins: FormatPins;
  /** The day on which the run began: dates far ahead of it are in doubt if their years have two digits. */
  readonly today: PackedDate;
  readonly empty: "omit" | "send";
  /** Makes rows of the other kind invalid. */
  readonly only?: "updates" | "creates";
  readonly fields?: ReadonlyMap<string, DeclaredField>;
  /** True if members of objects inside a JSON record are columns of their own: `customer_email`. */
  readonly isFlattened?: boolean;
  /** Columns that only a config maps or drops: a file may lack them. */
  readonly configColumns?: ReadonlySet<string>;
}
