import type { Dialect } from "../../model/reading.ts";

const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/** `=""` is how spreadsheets write an empty text; JSON holds empty texts too. */
const FREE_OF_DOUBT = new Set(Buffer.from("={["));

/** A dialect as bytes, so that rows can be scanned before they are text. */
export interface DialectBytes {
  readonly delimiter: Buffer;
  /** -1 where nothing is quoted. */
  readonly quote: number;
  readonly isBackslashEscape: boolean;
  /** Empty where there are no comments. */
  readonly comment: Buffer;
}

/** The settled dialect in UTF-8. */
export function toDialectBytes(
  dialect: Pick<Dialect, "delimiter" | "quote" | "escape" | "comment">,
): DialectBytes {
  return {
    delimiter: Buffer.from(dialect.delimiter),
    quote: dialect.quote === "" ? -1 : dialect.quote.charCodeAt(0),
    isBackslashEscape: dialect.escape === "\\",
    comment: Buffer.from(dialect.comment),
  };
}

/** Why the quotes of a row have no certain reading. */
export type QuoteFault =
  | "odd-quotes"
  | "doubled-quotes"
  | "text-after-quote"
  | "unclosed-quote"
  | "blank-before-quote"
  | "backslash";

/** What {@link scanRow} found; one object is filled again and again, because there is a scan for each row. */
export interface RowScan {
  /** `cut`: the bytes end before the row does. */
  result: "row" | "cut" | QuoteFault;
  /** Behind the row's line end; only for `row`. */
  end: number;
  /** Physical lines of the row, or for a fault those before the one at fault. */
  lines: number;
  /** Where the quote at fault opens, or the cell that the bytes cut. */
  at: number;
  /** True where the bytes end inside a quoted cell. */
  isQuoted: boolean;
  /** Where each cell begins; only filled where it is set. */
  starts?: number[];
}

/** A scan to be filled. */
export function createRowScan(): RowScan {
  return { result: "cut", end: 0, lines: 0, at: 0, isQuoted: false };
}

/**
 * Judges one row cell by cell. A quote that does not begin a cell is a literal; two cells with an odd number of such
 * quotes are a fault, because the delimiter between them may be text. `limit` ends the bytes; `isLast` where the input
 * ends there.
 */
export function scanRow(
  bytes: Buffer,
  start: number,
  limit: number,
  isLast: boolean,
  dialect: DialectBytes,
  scan: RowScan,
): void {
  let at = start;
  let oddCells = 0;
  let hasDoubled = false;
  scan.lines = 0;
  scan.isQuoted = false;
  if (scan.starts !== undefined) scan.starts.length = 0;

  for (;;) {
    scan.at = at;
    scan.starts?.push(at);
    if (at < limit && bytes[at] === dialect.quote) {
      at = scanQuoted(bytes, at, limit, isLast, dialect, scan);
      if (at === -1) return;
    } else {
      let quotes = 0;
      if (isBlankBeforeQuote(bytes, at, limit, dialect)) {
        scan.result = "blank-before-quote";
        return;
      }
      for (; at < limit; at += 1) {
        const byte = bytes[at];
        if (byte === LF || byte === CR || isDelimiter(bytes, at, limit, dialect.delimiter)) break;
        if (byte === dialect.quote) {
          quotes += 1;
          if (bytes[at - 1] === dialect.quote && !FREE_OF_DOUBT.has(bytes[scan.at] ?? 0)) hasDoubled = true;
        }
      }
      oddCells += quotes & 1;
    }
    if (at < limit && isDelimiter(bytes, at, limit, dialect.delimiter)) {
      at += dialect.delimiter.length;
      continue;
    }
    const end = lineEnd(bytes, at, limit, isLast);
    if (end === -1) {
      scan.result = "cut";
      return;
    }
    scan.end = end;
    scan.lines += 1;
    scan.result = "row";
    // A quoted cell over several lines beside a stray quote may have swallowed other rows: they are read again.
    if (oddCells > 1 || (oddCells === 1 && scan.lines > 1)) {
      scan.result = "odd-quotes";
      scan.lines = 0;
      scan.at = start;
    } else if (hasDoubled) {
      // The whole row is left out: its end is certain, and no line of it is a row.
      scan.result = "doubled-quotes";
      scan.lines -= 1;
      scan.at = at;
    }
    return;
  }
}

/** Behind the line end at `at`; `at` itself at the end of the input; -1 where more bytes are needed to know. */
function lineEnd(bytes: Buffer, at: number, limit: number, isLast: boolean): number {
  if (at >= limit) return isLast ? limit : -1;
  if (bytes[at] === LF) return at + 1;
  if (at + 1 >= limit) return isLast ? limit : -1;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

function isDelimiter(bytes: Buffer, at: number, limit: number, delimiter: Buffer): boolean {
  if (bytes[at] !== delimiter[0] || at + delimiter.length > limit) return false;
  for (let i = 1; i < delimiter.length; i += 1) {
    if (bytes[at + i] !== delimiter[i]) return false;
  }
  return true;
}

/** Behind the closing quote; -1 where the scan ended with a fault or a cut. */
function scanQuoted(
  bytes: Buffer,
  open: number,
  limit: number,
  isLast: boolean,
  dialect: DialectBytes,
  scan: RowScan,
): number {
  let lines = 0;
  for (let at = open + 1; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === LF) {
      lines += bytes[at - 1] === CR ? 0 : 1;
    } else if (byte === CR) {
      lines += 1;
    } else if (byte === 92 && dialect.isBackslashEscape) {
      const next = bytes[at + 1];
      if (at + 1 < limit && next !== dialect.quote && next !== 92) {
        scan.result = "backslash";
        return -1;
      }
      at += 1;
    } else if (byte === dialect.quote) {
      const next = at + 1 < limit ? bytes[at + 1] : undefined;
      if (next === undefined) {
        if (isLast) return closed(at, lines, scan);
        break;
      }
      if (next === dialect.quote && !dialect.isBackslashEscape) {
        at += 1;
      } else if (next === LF || next === CR || isDelimiter(bytes, at + 1, limit, dialect.delimiter)) {
        return closed(at, lines, scan);
      } else if (!isLast && at + 1 + dialect.delimiter.length > limit) {
        break;
      } else {
        scan.result = "text-after-quote";
        return -1;
      }
    }
  }
  scan.isQuoted = true;
  scan.result = isLast ? "unclosed-quote" : "cut";
  return -1;
}

function closed(at: number, lines: number, scan: RowScan): number {
  scan.lines += lines;
  return at + 1;
}

function isBlankBeforeQuote(bytes: Buffer, from: number, limit: number, dialect: DialectBytes): boolean {
  let at = from;
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB) && bytes[at] !== dialect.delimiter[0])
    at += 1;
  return at > from && at < limit && bytes[at] === dialect.quote;
}
