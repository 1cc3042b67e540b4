import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./csv-row.ts";

/**
 * Returns whether the row of a scan is certain whoever reads it: its cells follow each other with a delimiter in between,
 * hold neither quotes nor escapes, and those that are quoted have one quote at each end and nothing outside.
 */
export function plainRowsOf({ delimiter, quote, escape }: Marks): (row: CsvRow) => boolean {
  const [separator, mark, other] = [codeOf(delimiter), codeOf(quote), codeOf(escape)];
  // A delimiter of several bytes is left to csv-parse.
  if (separator === -1) return () => false;
  const isLineEnd = (byte: number | undefined): boolean => byte === LINE_FEED || byte === RETURN;
  return ({ spans, firstCell, width, start: rowStart, end: rowEnd }) => {
    const { bytes, starts, ends } = spans;
    let from = rowStart;
    for (let cell = firstCell; cell < firstCell + width; cell++) {
      const end = ends[cell]!;
      const isQuoted = bytes[from] === mark && from < rowEnd;
      if (isQuoted) from++;
      if (starts[cell] !== from || end < from || end > rowEnd) return false;
      for (let at = from; at < end; at++) {
        const byte = bytes[at];
        if (byte === mark || byte === other) return false;
        if (!isQuoted && (byte === separator || isLineEnd(byte))) return false;
      }
      if (isQuoted && (end === rowEnd || bytes[end] !== mark)) return false;
      from = isQuoted ? end + 1 : end;
      if (cell < firstCell + width - 1 && (from === rowEnd || bytes[from++] !== separator)) return false;
    }
    return from === rowEnd || isLineEnd(bytes[from]);
  };
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The byte of a mark; -1 if there is none, or if it has several. */
function codeOf(mark: string): number {
  const bytes = Buffer.from(mark);
  return bytes.length === 1 ? bytes[0]! : -1;
}
