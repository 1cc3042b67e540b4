const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;

/** Rows that were cut out of a text and taken apart. */
export interface ScannedRows {
  readonly cells: string[][];
  /** The first physical line of each row. */
  readonly lines: number[];
  /** Where the first row begins that does not end in the text. */
  readonly end: number;
  /** The line of that row. */
  readonly nextLine: number;
}

/** What a text of rows is written in; both single characters, `quote` may be empty. Quotes are escaped by doubling. */
export interface PlainDialect {
  readonly delimiter: string;
  readonly quote: string;
}

/**
 * Rows and cells by one look at each character; `undefined` where the text holds what needs a closer look: a quote
 * inside an unquoted cell, text behind a closing quote, a row longer than `maxRowChars`. Blank lines are left out. Where
 * `isLast`, the text's end ends a row. Equal to the splitter and csv-parse, as tests prove.
 */
export function scanCells(
  text: string,
  firstLine: number,
  { delimiter, quote }: PlainDialect,
  { isLast, maxRowChars }: { readonly isLast: boolean; readonly maxRowChars: number },
): ScannedRows | undefined {
  const delimiterCode = delimiter.charCodeAt(0);
  const quoteCode = quote === "" ? -1 : quote.charCodeAt(0);
  const { length } = text;
  const rows: string[][] = [];
  const lines: number[] = [];
  /** Used for every row and copied, so that each array is as long as its row. */
  const cells: string[] = [];
  let count = 0;
  let at = 0;
  let rowStart = 0;
  let line = firstLine;
  let nextLine = firstLine;
  let isBlank = true;

  while (at < length || (isLast && count > 0)) {
    let code = at < length ? text.charCodeAt(at) : -1;
    if (code === quoteCode && code !== -1) {
      isBlank = false;
      const open = at + 1;
      let hasDoubled = false;
      for (at = open; ; at += 1) {
        code = at < length ? text.charCodeAt(at) : -1;
        if (code === quoteCode) {
          if (text.charCodeAt(at + 1) !== quoteCode) break;
          hasDoubled = true;
          at += 1;
        } else if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) {
          nextLine += 1;
        } else if (code === -1) {
          return isLast ? undefined : { cells: rows, lines, end: rowStart, nextLine: line };
        }
      }
      const cell = text.slice(open, at);
      cells[count] = hasDoubled ? cell.replaceAll(quote + quote, quote) : cell;
      at += 1;
      code = at < length ? text.charCodeAt(at) : -1;
      if (code !== delimiterCode && code !== LF && code !== CR && code !== -1) return undefined;
    } else {
      const start = at;
      while (code !== delimiterCode && code !== LF && code !== CR && code !== -1) {
        if (code === quoteCode) return undefined;
        if (isBlank && code !== SPACE && code !== TAB) isBlank = false;
        at += 1;
        code = at < length ? text.charCodeAt(at) : -1;
      }
      cells[count] = text.slice(start, at);
    }
    if (at - rowStart > maxRowChars) return undefined;
    count += 1;
    at += 1;
    if (code === delimiterCode) {
      isBlank = false;
      continue;
    }
    if (code === -1 && !isLast) break;
    if (code === CR) {
      // It may be the first half of a line end.
      if (at >= length && !isLast) break;
      if (text.charCodeAt(at) === LF) at += 1;
    }
    nextLine += 1;
    if (!isBlank) {
      rows.push(cells.slice(0, count));
      lines.push(line);
    }
    line = nextLine;
    rowStart = at;
    count = 0;
    isBlank = true;
  }
  return { cells: rows, lines, end: Math.min(rowStart, length), nextLine: line };
}
