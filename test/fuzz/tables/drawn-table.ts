import type { Language } from "./languages.ts";

/** The kind of value in a column of a drawn table. */
type ColumnKind = "key" | "digits" | "date" | "amount" | "text";

/** A column of a drawn table. */
export interface DrawnColumn {
  readonly kind: ColumnKind;
  /** Its name in the file; `""` if it has none. */
  readonly header: string;
  /** The declared field of the column; `undefined` if it is not declared. */
  readonly declared: string | undefined;
}

/** A value as written in the file and as it has to be sent; `""` for none. */
export interface DrawnValue {
  readonly written: string;
  readonly right: string;
}

/** The kind of a line of a drawn table. */
type LineKind = "title" | "header" | "row" | "total" | "remark" | "blank";

/** A line of a drawn table, with its cells before they are quoted. */
export interface DrawnLine {
  readonly kind: LineKind;
  readonly cells: readonly string[];
  /** For a row: the value to send for each column. */
  readonly right?: readonly string[];
  /** True if a row must not be sent, for example because a word replaces its key. */
  readonly isInvalid?: boolean;
}

/** A row of a drawn file. */
export interface DrawnRow {
  /** Its first line, counted from 1. */
  readonly line: number;
  readonly right: readonly string[];
  readonly isInvalid: boolean;
}

/** The facts about a file that a person needs to answer questions, in the words of the options. */
interface KnownFacts {
  readonly dateFormat: string;
  readonly decimal: string;
  readonly hasHeader: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
}

/** A drawn table, before it is written. */
export interface DrawnTable {
  readonly language: Language;
  readonly columns: readonly DrawnColumn[];
  readonly lines: readonly DrawnLine[];
  /** Reasons why a person may be asked about it; none for a clean table. */
  readonly oddities: readonly string[];
  /** True if nothing may be sent without a question, whatever the rows are. */
  readonly mustAsk: boolean;
  readonly facts: KnownFacts;
}

/** A file, and the records that it truly holds. */
export interface DrawnFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly columns: readonly DrawnColumn[];
  readonly rows: readonly DrawnRow[];
  readonly oddities: readonly string[];
  readonly mustAsk: boolean;
  readonly facts: KnownFacts;
}
