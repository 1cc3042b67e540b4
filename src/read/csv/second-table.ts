import { ESCAPED } from "../../model/row.ts";
import { isNumericLike } from "./csv-words.ts";
import type { CsvRow } from "./csv-row.ts";
import type { SampleRow } from "./csv-sample.ts";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** Share of a column's filled cells that must be numbers or dates for a word there to be an exception. */
const NUMERIC_SHARE = 0.9;

/** 0-based positions of the columns that hold numbers or dates; fewer than two prove nothing, so none are returned. */
export function findNumericColumns(body: readonly SampleRow[], width: number): readonly number[] {
  const full = body.filter((row) => row.width >= width);
  const positions = Array.from({ length: width }, (_, index) => index).filter((index) => {
    let filled = 0;
    let numeric = 0;
    for (const row of full) {
      const cell = row.cell(index);
      if (cell.trim() === "") continue;
      filled++;
      if (isNumericLike(cell)) numeric++;
    }
    return numeric > 0 && numeric >= filled * NUMERIC_SHARE;
  });
  return positions.length > 1 ? positions : [];
}

/** Properties of the present table, by which another one below it is recognised. */
interface FirstTable {
  readonly file: string;
  readonly columns: readonly string[];
  readonly headerLine: number | undefined;
  readonly numericColumns: readonly number[];
}

/** The header of a table, which may be repeated in it. */
export class RepeatedHeader {
  readonly #file: string;
  readonly #line: number;
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #shapes: ReadonlySet<number>;

  constructor(file: string, line: number, columns: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#names = columns.map(plainName);
    this.#known = new Set(this.#names.filter((name) => name !== ""));
    this.#shapes = shapesOf(columns);
  }

  /**
   * The rows that repeat the header, even in capitals or after a byte order mark. Throws an input error if a row holds
   * the same names in another order.
   */
  find(rows: readonly CsvRow[]): readonly CsvRow[] {
    return rows.filter((row) => {
      if (!mayBeName(row, this.#shapes)) return false;
      const cells = row.cells.map(plainName);
      if (this.#names.every((name, column) => cells[column] === name)) return true;
      const names = new Set(cells.filter((cell) => this.#known.has(cell)));
      if (names.size > 1 && 2 * names.size > cells.filter((cell) => cell !== "").length)
        throw this.#other(row);
      return false;
    });
  }

  #other({ line }: CsvRow): RecPushError {
    return inputError(
      { file: this.#file, line },
      "second-table",
      `this line is a header, but not the same as in line ${this.#line}: a second table begins`,
      { hint: "split the file there" },
    );
  }
}

/** Throws an input error if a row is a header itself: nothing from there on belongs to this table. */
export function refuseSecondTable(rows: readonly CsvRow[], table: FirstTable): void {
  const { file, headerLine, numericColumns } = table;
  const [telling] = numericColumns;
  if (headerLine === undefined) return;
  for (const row of rows) {
    if (beginsWithMark(row)) {
      throw inputError(
        { file, line: row.line },
        "second-table",
        "this line begins with a byte order mark, as a file does: another file was appended to this one here",
        { hint: "split the file there, or delete the mark if the same table continues" },
      );
    }
    if (telling === undefined || !mayBeWord(row, telling) || !isHeader(row.cells)) continue;
    throw inputError(
      { file, line: row.line },
      "second-table",
      "this line holds only words, even where the other rows hold numbers and dates: a second table begins",
      { hint: "split the file there, or pass --one-table if it is a row like the others" },
    );
  }
}

function beginsWithMark({ spans, firstCell }: CsvRow): boolean {
  const { bytes, starts } = spans;
  const start = starts[firstCell]!;
  return bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

/** A header's cell as another page of the same export may write it. */
function plainName(cell: string): string {
  return cell
    .replace(/^\ufeff/, "")
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .toLowerCase();
}

/** False if the bytes of the first cell already show that it is not one of the names, as for nearly all rows. */
function mayBeName({ spans, firstCell }: CsvRow, shapes: ReadonlySet<number>): boolean {
  const start = spans.starts[firstCell]!;
  const length = spans.ends[firstCell]! - start;
  const byte = spans.bytes[start]!;
  // Spaces, quotes and non-ASCII characters, including a byte order mark, need a closer look.
  if (length > 0 && (byte <= 0x22 || byte >= 0x80 || (spans.marks[firstCell]! & ESCAPED) !== 0)) return true;
  return shapes.has(length === 0 ? 0 : shapeOf(length, byte));
}

function shapeOf(length: number, byte: number): number {
  return 256 * length + (byte | 0x20);
}

/** The shapes of cells with which a header may begin. */
function shapesOf(columns: readonly string[]): Set<number> {
  return new Set(
    columns.map((column) => {
      const bytes = Buffer.from(column.trim());
      return bytes.length === 0 ? 0 : shapeOf(bytes.length, bytes[0]!);
    }),
  );
}

/** False if a cell is empty or contains a digit. */
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
 * Throws an input error if the cells of a row that is too wide end with a header joined to the row's last cell: two
 * files were joined, and the first had no line end.
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
