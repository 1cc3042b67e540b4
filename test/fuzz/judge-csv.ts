import type { ReadOptions } from "../../src/read/read-options.ts";
import type { ReadTable } from "../read/chunks.ts";
import { findLineStarts, readSlowRow } from "./slow-csv.ts";

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
