import type { Dialect } from "../../model/reading.ts";
import type { RowProblem } from "../../model/row.ts";
import { describeQuoteFault, describeTooLong } from "./row-fault.ts";
import { scanCells } from "./scan-cells.ts";
import { createRowScan, scanRow, toDialectBytes } from "./scan-row.ts";

const NO_BYTES: Buffer = Buffer.alloc(0);
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;

/** Whole rows in file order, their quotes verified; blank lines, comments and rows at fault are no longer in it. */
export interface Stretch {
  readonly bytes: Buffer;
  /** The cells of the rows, where it took no closer look to know them; `bytes` is empty then. */
  readonly cells?: string[][];
  /** The first physical line of each row in `bytes`. */
  readonly lines: readonly number[];
  readonly problems: readonly RowProblem[];
}

/** Cuts UTF-8 bytes, in chunks cut anywhere, into rows. Holds at most one chunk, and twice what one row takes. */
export interface CsvSplitter {
  push(chunk: Buffer): Stretch;
  /** The rest: a last row without line end. */
  end(): Stretch;
}

/** How rows are cut. */
export interface SplitOptions {
  readonly maxRowBytes: number;
  /** Physical lines at the top that are no rows; quotes do not count in them. */
  readonly skipLines?: number;
  /** The line on which the bytes begin, 1 unless said. */
  readonly firstLine?: number;
  /** Every row is looked at closely and given as bytes, also where one look at each character would do. */
  readonly looksClosely?: boolean;
}

const NOTHING: Stretch = { bytes: NO_BYTES, lines: [], problems: [] };
/** Of UTF-8, for one UTF-16 unit. */
const MOST_BYTES_A_CHAR = 3;

export function createCsvSplitter(
  dialect: Pick<Dialect, "delimiter" | "quote" | "escape" | "comment">,
  { maxRowBytes, skipLines = 0, firstLine = 1, looksClosely = false }: SplitOptions,
): CsvSplitter {
  const isPlain = !looksClosely && isPlainDialect(dialect);
  const maxRowChars = Math.floor((maxRowBytes - 2) / MOST_BYTES_A_CHAR);
  const marks = toDialectBytes(dialect);
  const blankTab = marks.delimiter[0] === TAB ? SPACE : TAB;
  const scan = createRowScan();
  let bytes: Buffer = Buffer.alloc(0);
  let line = firstLine;
  /** True inside a line that is dropped up to its end. */
  let isDropping = false;
  /** Chunks that come behind `bytes`, and what they hold. */
  let waiting: Buffer[] = [];
  let waitingBytes = 0;

  function takeWaiting(): void {
    if (waitingBytes === 0) return;
    bytes = bytes.length === 0 && waiting.length === 1 ? waiting[0]! : Buffer.concat([bytes, ...waiting]);
    waiting = [];
    waitingBytes = 0;
  }

  /** The whole rows of what is held, where they are as plain as nearly all are. */
  function splitPlain(isLast: boolean): Stretch | undefined {
    if (!isPlain || isDropping || line <= skipLines || bytes.length === 0) return undefined;
    const length = isLast ? bytes.length : bytes.lastIndexOf(LF) + 1;
    if (length === 0) return undefined;
    const text = bytes.toString("utf8", 0, length);
    const found = scanCells(text, line, dialect, { isLast, maxRowChars });
    if (found === undefined) return undefined;
    const { cells, lines, end, nextLine } = found;
    const rest = end === text.length ? length : length - Buffer.byteLength(text.slice(end));
    // What is longer than a row may be needs a closer look.
    if (bytes.length - rest > maxRowChars && rest === 0) return undefined;
    bytes = bytes.subarray(rest);
    line = nextLine;
    return { bytes: NO_BYTES, cells, lines, problems: [] };
  }

  function split(isLast: boolean): Stretch {
    return splitPlain(isLast) ?? splitClosely(isLast);
  }

  function splitClosely(isLast: boolean): Stretch {
    const runs: Buffer[] = [];
    const lines: number[] = [];
    const problems: RowProblem[] = [];
    let runStart = 0;
    let at = 0;
    let nextQuote = -2;
    let nextLf = -2;
    let nextCr = -2;

    /** Behind the line end that follows `from`, which never goes back; -1 where it is not there yet. */
    function findLineEnd(from: number): number {
      if (nextLf !== -1 && nextLf < from) nextLf = bytes.indexOf(LF, from);
      if (nextCr !== -1 && nextCr < from) nextCr = bytes.indexOf(CR, from);
      if (nextCr !== -1 && (nextLf === -1 || nextCr < nextLf)) {
        if (nextCr + 1 < bytes.length) return bytes[nextCr + 1] === LF ? nextCr + 2 : nextCr + 1;
        return isLast ? bytes.length : -1;
      }
      if (nextLf !== -1) return nextLf + 1;
      return isLast ? bytes.length : -1;
    }

    /** Leaves out what lies between the run and `to`, a line border. */
    function leaveOut(to: number): void {
      if (at > runStart) runs.push(bytes.subarray(runStart, at));
      at = to;
      runStart = to;
    }

    /** Leaves out the line that holds `from`, up to its end even where that has not been read yet. */
    function dropLine(from: number): void {
      const end = findLineEnd(from);
      if (end === -1) {
        isDropping = true;
        // A carriage return at the border may be the first half of a line end.
        leaveOut(bytes.at(-1) === CR ? bytes.length - 1 : bytes.length);
        return;
      }
      isDropping = false;
      line += 1;
      leaveOut(end);
    }

    while (at < bytes.length) {
      if (isDropping || line <= skipLines) {
        dropLine(at);
        if (isDropping) break;
        continue;
      }
      const first = bytes[at];
      if (first === marks.comment[0] && marks.comment.length > 0) {
        const begin = bytes.subarray(at, at + marks.comment.length);
        if (begin.equals(marks.comment)) {
          dropLine(at);
          continue;
        }
      }
      const end = findLineEnd(at);
      if (
        end !== -1 &&
        end - at <= maxRowBytes &&
        first !== undefined &&
        first <= SPACE &&
        isBlank(at, end)
      ) {
        line += 1;
        leaveOut(end);
        continue;
      }
      if (marks.quote !== -1 && nextQuote !== -1 && nextQuote < at)
        nextQuote = bytes.indexOf(marks.quote, at);
      const isPlain = marks.quote === -1 || nextQuote === -1 || (end !== -1 && nextQuote >= end);
      if (isPlain) {
        if (end !== -1 && end - at <= maxRowBytes) {
          lines.push(line);
          line += 1;
          at = end;
          continue;
        }
        if (bytes.length - at <= maxRowBytes) break;
        problems.push(describeTooLong(line, maxRowBytes));
        dropLine(at);
        continue;
      }
      const limit = Math.min(bytes.length, at + maxRowBytes);
      scanRow(bytes, at, limit, isLast && limit === bytes.length, marks, scan);
      if (scan.result === "row") {
        lines.push(line);
        line += scan.lines;
        at = scan.end;
      } else if (scan.result === "cut" && bytes.length - at <= maxRowBytes) {
        break;
      } else {
        const fault = scan.result === "cut" && scan.isQuoted ? "unclosed-quote" : scan.result;
        problems.push(
          fault === "cut"
            ? describeTooLong(line, maxRowBytes, line + scan.lines)
            : describeQuoteFault(fault, line, line + scan.lines, marks.quote),
        );
        line += scan.lines;
        dropLine(scan.at);
      }
    }
    if (at > runStart) runs.push(bytes.subarray(runStart, at));
    bytes = bytes.subarray(at);
    const [only] = runs;
    return { bytes: runs.length === 1 && only !== undefined ? only : Buffer.concat(runs), lines, problems };
  }

  function isBlank(from: number, end: number): boolean {
    for (let i = from; i < end; i += 1) {
      const byte = bytes[i];
      if (byte !== SPACE && byte !== blankTab && byte !== LF && byte !== CR) return false;
    }
    return true;
  }

  return {
    push(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      // The beginning of a long row is looked at again only when twice as much is there, or more than a row may have.
      if (waitingBytes < bytes.length && bytes.length + waitingBytes <= maxRowBytes) return NOTHING;
      takeWaiting();
      return split(false);
    },
    end() {
      takeWaiting();
      return split(true);
    },
  };
}

/** True where rows may be taken apart by one look at each character. */
export function isPlainDialect({
  delimiter,
  quote,
  escape,
  comment,
}: Pick<Dialect, "delimiter" | "quote" | "escape" | "comment">): boolean {
  return delimiter.length === 1 && delimiter !== " " && (quote === "" || escape === quote) && comment === "";
}
