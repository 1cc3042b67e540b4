import { ESCAPED } from "../../model/row.ts";
import { isNumericLike } from "./csv-header.ts";
import type { CsvRow } from "./csv-row.ts";
import type { SampleRow } from "./csv-sample.ts";
import { inputError } from "../input-error.ts";

/** Share of a column's filled cells that have to be numbers or dates, so that a word there stands out. */
const NUMERIC_SHARE = 0.9;

/** 0-based positions of the columns that hold numbers or dates; fewer than two prove nothing and give none. */
export function findNumericColumns(body: readonly SampleRow[], width: number): readonly number[] {
  const full = body.filter(({ cells }) => cells.length >= width);
  const positions = Array.from({ length: width }, (_, index) => index).filter((index) => {
    const filled = full.map(({ cells }) => cells[index] ?? "").filter((cell) => cell.trim() !== "");
    const numeric = filled.filter((cell) => isNumericLike(cell)).length;
    return numeric > 0 && numeric >= filled.length * NUMERIC_SHARE;
  });
  return positions.length > 1 ? positions : [];
}

/** How the table at hand is known, so that another one below it stands out. */
interface FirstTable {
  readonly file: string;
  readonly columns: readonly string[];
  readonly headerLine: number | undefined;
  readonly numericColumns: readonly number[];
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Throws an input error where a row repeats the header, is one itself or begins with a byte order mark: nothing below it
 * belongs to this table.
 */
export function refuseSecondTable(rows: readonly CsvRow[], table: FirstTable): void {
  const { file, columns, headerLine, numericColumns } = table;
  if (headerLine === undefined) return;
  const first = Buffer.from(columns[0] ?? "");
  const [telling] = numericColumns;
  for (const row of rows) {
    const { line } = row;
    const isMarked = beginsWithMark(row);
    if ((isMarked || mayBeText(row, 0, first)) && isRepeated(columns, row.cells)) {
      throw inputError(
        { file, line },
        "second-table",
        `the header of line ${headerLine} is repeated here: a second table begins`,
        {
          hint: "split the file, or delete the line if the same table goes on; --no-header where the first line is a row",
        },
      );
    }
    if (isMarked) {
      throw inputError(
        { file, line },
        "second-table",
        "a byte order mark begins this line, as it begins a file: another file was joined to this one here",
        { hint: "split the file there, or delete the mark where the same table goes on" },
      );
    }
    if (telling !== undefined && mayBeWord(row, telling) && isHeader(row.cells)) {
      throw inputError(
        { file, line },
        "second-table",
        "this line holds words only, also where the other rows hold numbers and dates: a second table begins",
        { hint: "split the file there, or pass --one-table where it is a row like the others" },
      );
    }
  }
}

function isRepeated(columns: readonly string[], cells: readonly string[]): boolean {
  return columns.every((column, index) => {
    const cell = cells[index];
    return cell === column || (index === 0 && cell === BYTE_ORDER_MARK + column);
  });
}

function beginsWithMark({ spans, firstCell }: CsvRow): boolean {
  const { bytes, starts } = spans;
  const start = starts[firstCell]!;
  return bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

/** False where the bytes of a cell tell already that it is another text: nearly all differ in their first byte. */
function mayBeText({ spans, firstCell }: CsvRow, column: number, text: Buffer): boolean {
  const cell = firstCell + column;
  const start = spans.starts[cell]!;
  if ((spans.marks[cell]! & ESCAPED) !== 0) return true;
  return spans.ends[cell]! - start === text.length && (text.length === 0 || spans.bytes[start] === text[0]);
}

/** False where a cell is empty or holds a digit. */
function mayBeWord({ spans, firstCell }: CsvRow, column: number): boolean {
  const { bytes, starts, ends } = spans;
  const end = ends[firstCell + column]!;
  let at = starts[firstCell + column]!;
  if (at === end) return false;
  for (; at < end; at++) {
    const code = bytes[at]!;
    if (code >= 0x30 && code <= 0x39) return false;
  }
  return true;
}

/**
 * Throws an input error where the cells of a row that is too wide end with a header, glued to the row's last cell: two files
 * were joined, the first without a line end.
 */
export function refuseGluedHeader({ cells, line }: CsvRow, table: FirstTable): void {
  const { file, columns, headerLine, numericColumns } = table;
  const width = columns.length;
  if (headerLine === undefined || width < 2 || cells.length !== 2 * width - 1) return;
  if (!/\p{L}$/u.test(cells[width - 1]!)) return;
  const behind = cells.slice(width);
  const names = new Set(columns);
  const isKnown = behind.every((cell) => names.has(cell)) && new Set(behind).size === behind.length;
  const isTelling = behind.some(
    (cell, at) => isWord(cell) && (numericColumns.includes(at + 1) || isNumericLike(cells[at + 1]!)),
  );
  if (!isKnown && !(isTelling && isHeader(behind))) return;
  throw inputError(
    { file, line },
    "second-table",
    "a header begins within this line: two files were joined without a line end between them",
    { hint: "split the file there, or put the line end in" },
  );
}

function isHeader(cells: readonly string[]): boolean {
  return cells.every(isWord) && new Set(cells).size === cells.length;
}

function isWord(cell: string): boolean {
  return !/\d/.test(cell) && /\p{L}/u.test(cell);
}
