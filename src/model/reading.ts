/** The format of an input: inferred from its content, or pinned with `--format`. */
export type InputFormat = "csv" | "json" | "ndjson" | "xlsx";

/** True for a format whose rows are lines of cells under a header; their rejects are CSV. */
export function isTabular(format: InputFormat): boolean {
  return format === "csv" || format === "xlsx";
}

/** How a CSV file separates and quotes its cells. */
export interface Dialect {
  /**
   * Set for the rows of a sheet: the least number of cells of each row. Each row is one line, whatever its cells hold, and
   * only text is in quotes.
   */
  readonly sheetWidth?: number;
  readonly delimiter: string;
  readonly quote: '"' | "'" | "";
  readonly escape: '"' | "'" | "\\" | "";
  /** Lines that begin with this are left out; `""` if there are no comments. */
  readonly comment: string;
  /** 1-based line of the header; `undefined` for a file without one. */
  readonly headerLine: number | undefined;
  /** 1-based line at which the data begins. */
  readonly dataLine: number;
}

/** The rows of a workbook are read as a CSV of our own. */
export const OWN_DIALECT: Dialect = {
  delimiter: ",",
  quote: '"',
  escape: '"',
  comment: "",
  headerLine: 1,
  dataLine: 2,
};

/** The rejects of a workbook: a spreadsheet with a decimal comma opens them as columns. */
export const SHEET_FILE_DIALECT: Dialect = { ...OWN_DIALECT, delimiter: ";" };

/** Something inferred that an option would fix for good: `--delimiter ';'`. */
export interface Pin {
  readonly what: "encoding" | "delimiter" | "sheet" | "type";
  /** The words to add to the command, ready to paste: `--encoding windows-1252`. */
  readonly option: string;
  /** Why it was inferred: `settled by line 412 "26/03/2024"`. */
  readonly because: string;
}

/** A remark for the user that does not stop the run. */
export interface Notice {
  readonly line?: number;
  readonly text: string;
  /** True for what is said under `--quiet` too. */
  readonly isAlwaysShown?: true;
  /** How a file is unlike all before it, for programs. */
  readonly drift?: readonly object[];
}

/** How one input is read. */
export interface Reading {
  /** The name for messages: the path as given, or `<stdin>`. */
  readonly file: string;
  readonly format: InputFormat;
  /** As iconv-lite names it, lower case: `utf-8`, `windows-1252`. */
  readonly encoding: string;
  /** True if the encoding is open: the user gave none, and all content is ASCII. */
  readonly isPlainAscii?: boolean;
  readonly dialect?: Dialect;
  /** The name of the sheet that is read, of a workbook. */
  readonly sheet?: string;
  /** If that sheet was not named: the other sheets with tables, which are not read. */
  readonly otherSheets?: readonly string[];
  /** The member that holds the records, if the top level is an object. */
  readonly jsonPath?: string;
  /** CSV and workbooks: the header's cells, or `1`, `2` ... if there is none. JSON: empty, columns appear while reading. */
  readonly columns: readonly string[];
  /** True for a CSV without a header: columns go by position only. */
  readonly headerless: boolean;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
  /** Hex SHA-256 of the decoded content (UTF-8, without BOM; of a workbook the rows of its sheet): name, time and packing do not count. */
  readonly fingerprint: string;
}
