import type { Language } from "./languages.ts";

/** What a column of a drawn table holds. */
type ColumnKind = "key" | "digits" | "date" | "amount" | "text";

/** A column of a drawn table. */
export interface DrawnColumn {
  readonly kind: ColumnKind;
  /** As the file names it; `""` where it has no name. */
  readonly header: string;
  /** The field that it is; `undefined` for columns that nobody declared. */
  readonly declared: string | undefined;
}

/** A value as the file writes it, and as it is right to send it; `""` for none. */
export interface DrawnValue {
  readonly written: string;
  readonly right: string;
}

/** What a line of a drawn table is. */
type LineKind = "title" | "header" | "row" | "total" | "remark" | "blank";

/** A line of a drawn table, in cells as they are before they are quoted. */
export interface DrawnLine {
  readonly kind: LineKind;
  readonly cells: readonly string[];
  /** Of a row, what is right to send for each column. */
  readonly right?: readonly string[];
  /** True where a row holds what must not be sent, such as a key that is none. */
  readonly isInvalid?: boolean;
}

/** A row of a drawn file. */
export interface DrawnRow {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly right: readonly string[];
  readonly isInvalid: boolean;
}

/** What a person knows of a file who has to answer a question about it, as options name it. */
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
  /** Why a person may be asked about it, in words; none for a clean table. */
  readonly oddities: readonly string[];
  /** True where nothing may be sent without a question, whatever the rows are. */
  readonly mustAsk: boolean;
  readonly facts: KnownFacts;
}

/** A file with the truth about it. */
export interface DrawnFile {
  readonly seed: number;
  readonly name: string;
  readonly bytes: Buffer;
  readonly columns: readonly DrawnColumn[];
  readonly rows: readonly DrawnRow[];
  readonly oddities: readonly string[];
  readonly mustAsk: boolean;
  readonly facts: KnownFacts;
}
