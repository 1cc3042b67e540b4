import type { Dialect } from "../../model/reading.ts";

/** The settled marks of a CSV. */
export type Marks = Pick<Dialect, "delimiter" | "quote" | "escape">;

/** The marks, and how a comment line begins. */
export type CsvDialect = Marks & Pick<Dialect, "comment" | "sheetWidth">;

/** Kinds of bytes; all others are text. */
export const TEXT = 0;
export const DELIMITER = 1;
export const LINE_FEED = 2;
export const CARRIAGE_RETURN = 3;
export const QUOTE = 4;
export const BACKSLASH = 5;

/** A dialect as bytes of UTF-8: the one grammar that every scan follows. */
export interface CsvGrammar {
  readonly delimiter: Buffer;
  /** -1 if nothing is quoted. */
  readonly quote: number;
  readonly isBackslashEscape: boolean;
  /** Empty if there are no comments. */
  readonly comment: Buffer;
  /** See {@link Dialect.sheetWidth}; 0 for a CSV. */
  readonly sheetWidth: number;
  /** By byte: its kind outside quotes. */
  readonly bare: Uint8Array;
  /** By byte: its kind inside quotes. */
  readonly quoted: Uint8Array;
}

/** The grammar of a dialect. */
export function toGrammar({ delimiter, quote, escape, comment, sheetWidth = 0 }: CsvDialect): CsvGrammar {
  const mark = quote === "" ? -1 : quote.charCodeAt(0);
  const isBackslashEscape = escape === "\\";
  const bare = new Uint8Array(256);
  const quoted = new Uint8Array(256);
  for (const kinds of [bare, quoted]) {
    kinds[0x0a] = LINE_FEED;
    kinds[0x0d] = CARRIAGE_RETURN;
    if (mark !== -1) kinds[mark] = QUOTE;
  }
  const bytes = Buffer.from(delimiter);
  bare[bytes[0]!] = DELIMITER;
  if (isBackslashEscape) quoted[0x5c] = BACKSLASH;
  const marks = { delimiter: bytes, quote: mark, isBackslashEscape, comment: Buffer.from(comment) };
  return { ...marks, sheetWidth, bare, quoted };
}

/** True if the whole delimiter is at `at`; the first byte has been checked already. */
export function isWholeDelimiter(bytes: Buffer, at: number, limit: number, delimiter: Buffer): boolean {
  if (at + delimiter.length > limit) return false;
  for (let i = 1; i < delimiter.length; i += 1) {
    if (bytes[at + i] !== delimiter[i]) return false;
  }
  return true;
}

/** True if a comment begins at `at`. */
export function isComment(bytes: Buffer, at: number, { comment }: CsvGrammar): boolean {
  if (comment.length === 0 || bytes[at] !== comment[0]) return false;
  return bytes.subarray(at, at + comment.length).equals(comment);
}
