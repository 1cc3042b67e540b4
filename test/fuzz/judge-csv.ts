import type { Dialect } from "../../src/model/reading.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import type { ReadTable } from "../read/chunks.ts";

/** One row, read character by character, strictly by the settled dialect. */
interface SlowRow {
  readonly cells: readonly string[];
  /** Offset after the row's line end. */
  readonly end: number;
}

/** Reads the row that begins at an offset; `undefined` if its quotes have no strict reading. */
function readSlowRow(text: string, start: number, dialect: Dialect): SlowRow | undefined {
  const { delimiter, quote, escape } = dialect;
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let cell = "";
    if (quote !== "" && text[at] === quote) {
      at += 1;
      for (;;) {
        const character = text[at];
        if (character === undefined) return undefined;
        if (character === escape && (text[at + 1] === quote || (escape === "\\" && text[at + 1] === "\\"))) {
          cell += text[at + 1];
          at += 2;
        } else if (character === quote) {
          at += 1;
          break;
        } else {
          cell += character;
          at += 1;
        }
      }
      // Blanks behind the closing quote are no part of the cell.
      while ((text[at] === " " || text[at] === "\t") && !delimiter.startsWith(text[at]!)) at += 1;
      const isClosed = at === text.length || isLineEnd(text[at]) || text.startsWith(delimiter, at);
      if (!isClosed) return undefined;
    } else {
      const from = at;
      while (at < text.length && !isLineEnd(text[at]) && !text.startsWith(delimiter, at)) at += 1;
      cell = text.slice(from, at);
    }
    cells.push(cell);
    if (at < text.length && text.startsWith(delimiter, at)) at += delimiter.length;
    else return { cells, end: behindLineEnd(text, at) };
  }
}

/** Offsets at which the physical lines begin; the first is 0. */
function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = 0; at < text.length;) {
    const next = isLineEnd(text[at]) ? behindLineEnd(text, at) : at + 1;
    if (isLineEnd(text[at])) starts.push(next);
    at = next;
  }
  return starts;
}

function isLineEnd(character: string | undefined): boolean {
  return character === "\n" || character === "\r";
}

function behindLineEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}

/**
 * The first fault in the rows of a CSV, if any, by its decoded text: each row must be what a strict reader finds at its
 * line, rows must not overlap, and no line between them may be missing without a problem that names it.
 */
export function judgeCsv(text: string, table: ReadTable, options: ReadOptions): string | undefined {
  const { dialect, columns } = table.inspection.reading;
  if (dialect === undefined) return "a CSV has no dialect";
  const { surplus } = table.inspection.places;
  const starts = findLineStarts(text);
  const lineAt = new Map(starts.map((start, index) => [start, index + 1]));
  const problemLines = [...table.problems.map(({ line }) => line), ...table.headers];
  const isNothing = (line: number): boolean => {
    const content = text.slice(starts[line - 1], starts[line]);
    if (dialect.comment !== "" && content.startsWith(dialect.comment)) return true;
    return (dialect.delimiter[0] === "\t" ? /^ *[\r\n]*$/ : /^[ \t]*[\r\n]*$/).test(content);
  };
  const gapFault = (from: number, to: number): string | undefined => {
    for (let line = from; line < to; line += 1) {
      if (!isNothing(line) && !problemLines.some((at) => at >= from && at < to))
        return `line ${line} is neither in a row nor in a problem`;
    }
    return undefined;
  };
  let next = dialect.dataLine;
  for (const [line, ...cells] of table.rows as readonly (readonly [number, ...string[]])[]) {
    if (line < next) return `the row of line ${line} begins inside the row before`;
    const gap = gapFault(next, line);
    if (gap !== undefined) return gap;
    const slow = readSlowRow(text, starts[line - 1] ?? text.length, dialect);
    if (slow === undefined)
      return `line ${line} has no strict reading, and is read as ${JSON.stringify(cells)}`;
    const expected = JSON.stringify([...cells, ...Array.from({ length: surplus }, () => "")]);
    if (JSON.stringify(slow.cells) !== expected)
      return `line ${line} is ${JSON.stringify(slow.cells)}, and is read as ${expected}`;
    if (cells.length !== columns.length) return `line ${line} has ${cells.length} cells`;
    next = lineAt.get(slow.end) ?? starts.length + 1;
  }
  return (options.skipFooter ?? 0) > 0 ? undefined : gapFault(next, starts.length + 1);
}
