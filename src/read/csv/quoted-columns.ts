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

/** A column whose filled cells, except its header, are all between apostrophes: they may be quotes. */
export function findOpenQuote(rows: readonly SampleRow[]): OpenQuote | undefined {
  const width = rows.find(({ cells }) => cells.some(isQuoted))?.width ?? 0;
  const table = rows.filter(({ cells }) => cells.length === width && isFull(cells, width));
  for (let index = 0; index < width; index += 1) {
    const filled = table.filter(
      ({ cells }) => !/^\s*$/.test(cells[index]!) && !BARE_WORD.test(cells[index]!),
    );
    const body = isQuoted(filled[0]?.cells[index] ?? "") ? filled : filled.slice(1);
    const [example] = body;
    if (example !== undefined && body.every(({ cells }) => isQuoted(cells[index]!)))
      return { line: example.line, column: index + 1, value: example.cells[index]! };
  }
  return undefined;
}

function isQuoted(cell: string): boolean {
  return cell.length > 1 && cell.startsWith("'") && cell.endsWith("'");
}

/** Titles and remarks fill less than half of the cells. */
function isFull(cells: readonly string[], width: number): boolean {
  const filled = cells.filter((cell) => cell.trim() !== "").length;
  return filled * 2 >= width;
}
