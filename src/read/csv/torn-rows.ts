import { quoteWord } from "../../model/shell-word.ts";
import type { UnreadableRow } from "../../model/row.ts";
import type { CsvRow } from "./csv-row.ts";
import type { CsvChunk } from "./csv-rows.ts";

/** A row whose width differs from the table's. */
export interface Misfit extends UnreadableRow {
  /** Set if {@link mayBeTorn} says so. */
  isFragment?: true;
}

/** What lines of one cell begin with that programs put between rows: a sign of a comment, or a page's number. */
const MARK = /^(?:#+|\/\/|%+|\*+)(?=\s*[^\d\s])|^(?:page|seite|p[aá]gina|pagina) (?=\d+(?:\s|\/|$))/i;

/** The option that leaves a line of one cell out, with all that begin like it; `undefined` if it may belong to a row. */
export function commentOption(line: string): string | undefined {
  const mark = MARK.exec(line)?.[0];
  return mark === undefined
    ? undefined
    : `--comment ${quoteWord(mark)} leaves out the lines that begin like this one`;
}

/**
 * Whether a row may be the rest of a neighbour's first or last cell: a single cell in a wider table, or fewer cells
 * than the table has and no digit in any, which is how text that contains the delimiter is cut.
 */
export function mayBeTorn({ width, cells }: CsvRow, tableWidth: number): boolean {
  if (width >= tableWidth) return false;
  return width === 1 || !cells.some((cell) => /\d/.test(cell));
}

/**
 * Turns rows that an unquoted line end may have torn in two into problems: those next to a row that may be the rest.
 * Holds one chunk back, because the next may begin with the rest of its last row.
 */
export async function* withholdTornRows(chunks: AsyncIterable<CsvChunk>): AsyncGenerator<CsvChunk> {
  let held: CsvChunk | undefined;
  /** The fragments in the held chunk, and the last one before it. */
  let fragments: readonly UnreadableRow[] = [];
  for await (const chunk of chunks) {
    const found = chunk.unreadable.filter((row: Misfit) => row.isFragment === true);
    if (held !== undefined) yield withhold(held, [...fragments, ...found.slice(0, 1)]);
    held = chunk;
    fragments = [...fragments.slice(-1), ...found];
  }
  if (held !== undefined) yield withhold(nameFooter(held), fragments);
}

/**
 * Names the option that leaves out the lines of one cell at the end of the last chunk, such as remarks and row counts.
 */
function nameFooter(chunk: CsvChunk): CsvChunk {
  const body = [...chunk.rows].findLast(({ filled }) => filled > 0)?.start ?? -1;
  const last = chunk.unreadable.findLast((row: Misfit) => row.isFragment !== true)?.start ?? -1;
  const isFooter = ({ start }: UnreadableRow): boolean => start > Math.max(body, last);
  const count = chunk.unreadable.filter(isFooter).length;
  // Without any row above them they are no footer.
  if (count === 0 || body === -1) return chunk;
  const lines = count === 1 ? "the last line" : `the last ${count} lines`;
  const hint = `--skip-footer ${count} leaves out ${lines}; else complete the row`;
  return {
    ...chunk,
    unreadable: chunk.unreadable.map((row) => (isFooter(row) && !isMarked(row) ? { ...row, hint } : row)),
  };
}

function isMarked({ hint }: UnreadableRow): boolean {
  return hint?.startsWith("--comment") === true;
}

function withhold(chunk: CsvChunk, fragments: readonly UnreadableRow[]): CsvChunk {
  if (fragments.length === 0 || chunk.rows.length === 0) return chunk;
  const starts = new Map(fragments.map((fragment) => [fragment.start, fragment]));
  const ends = new Map(fragments.map((fragment) => [fragment.end, fragment]));
  const { rows } = chunk;
  const unreadable = [...chunk.unreadable];
  rows.keep((index) => {
    const row = rows.row(index);
    // A blank row does not belong to any other.
    const above = row.filled > 0 ? ends.get(row.start) : undefined;
    const below = row.filled > 0 ? starts.get(row.end) : undefined;
    const fragment = above ?? below;
    if (fragment !== undefined) unreadable.push(torn(row, above === undefined ? "below" : "above", fragment));
    return fragment === undefined;
  });
  unreadable.sort((left, right) => left.start - right.start);
  return { ...chunk, unreadable };
}

function torn(
  { line, start, end }: CsvRow,
  where: "above" | "below",
  fragment: UnreadableRow,
): UnreadableRow {
  const join = `join the two lines, or separate them with a blank line if they do not belong together${where === "below" ? "; --skip-footer N leaves out lines at the end" : ""}`;
  return {
    line,
    start,
    end,
    reason: `the line ${where} has fewer cells than a row, so it may be the rest of this row after an unquoted line end`,
    hint: isMarked(fragment) ? fragment.hint!.replace("this one", `the line ${where}`) : join,
  };
}
