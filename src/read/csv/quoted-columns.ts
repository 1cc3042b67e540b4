import { isNumericLike } from "./csv-words.ts";
import type { SampleRow } from "./csv-sample.ts";

/** A cell between apostrophes. */
export interface OpenQuote {
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  readonly value: string;
}

/** Words that programs write without quotes even if they quote all other text. */
const BARE_WORD = /^(?:null|\\n|true|false)$/i;

/**
 * Whether `'` quotes all text of a table, as in the exports of databases: every cell that is neither a number nor a
 * date, except the header, titles above it and remarks below. One row proves that as well as a hundred.
 */
export function isQuotedInWhole(rows: readonly SampleRow[]): boolean {
  const first = rows.findIndex(hasQuoted);
  const last = rows.findLastIndex(hasQuoted);
  if (first === -1) return false;
  const width = rows[first]!.width;
  let bareAbove = 0;
  for (const [index, { cells }] of rows.entries()) {
    if (!cells.some(isBareText)) continue;
    if (index >= first && index <= last) return false;
    if (!isFull(cells, width)) continue;
    bareAbove += 1;
    if (index > last || bareAbove > 1) return false;
  }
  return true;
}

/** A column whose filled cells, except its header, are all between apostrophes, while other text is not quoted. */
export function findOpenQuote(rows: readonly SampleRow[]): OpenQuote | undefined {
  const width = rows.find(hasQuoted)?.width ?? 0;
  const table = rows.filter(({ cells }) => cells.length === width && isFull(cells, width));
  for (let index = 0; index < width; index += 1) {
    const filled = table.filter(({ cells }) => cells[index]!.trim() !== "");
    const body = isQuoted(filled[0]?.cells[index] ?? "") ? filled : filled.slice(1);
    const [example] = body;
    if (example !== undefined && body.every(({ cells }) => isQuoted(cells[index]!)))
      return { line: example.line, column: index + 1, value: example.cells[index]! };
  }
  return undefined;
}

function hasQuoted({ cells }: SampleRow): boolean {
  return cells.some(isQuoted);
}

function isQuoted(cell: string): boolean {
  return cell.length > 1 && cell.startsWith("'");
}

function isBareText(cell: string): boolean {
  const text = cell.trim();
  return text !== "" && !isQuoted(cell) && !isNumericLike(text) && !BARE_WORD.test(text);
}

/** Titles and remarks fill less than half of the cells. */
function isFull(cells: readonly string[], width: number): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "").length;
  return filled > 1 && filled * 2 >= width;
}
