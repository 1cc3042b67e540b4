import type { RecPushError } from "../../model/failure.ts";
import { ESCAPED } from "../../model/problem-groups.ts";
import { inputError } from "../input-error.ts";
import type { CsvCells } from "./csv-cells.ts";
import { areNames, areWords, type TellingColumns } from "./csv-columns.ts";
import { isNumericLike } from "./csv-quote.ts";
import type { CsvRow, CsvRows } from "./entity-seam.ts";

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
/** The first byte of the letters from U+00C0 to U+00FF, which take two bytes in either case. */
const LATIN_LETTERS = 0xc3;

/** Properties of the present table, by which another one below it is recognised. */
interface FirstTable {
  readonly file: string;
  readonly columns: readonly string[];
  readonly headerLine: number | undefined;
  readonly telling: TellingColumns;
}

/** The header of a table, which may be repeated in it. */
export class RepeatedHeader {
  readonly #file: string;
  readonly #line: number;
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #first: FirstCells;

  constructor(file: string, line: number, columns: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#names = columns.map(plainName);
    this.#known = new Set(this.#names.filter((name) => name !== ""));
    this.#first = new FirstCells(columns);
  }

  /**
   * The numbers of the rows that repeat the header, even in capitals or after a byte order mark. Throws an input error if a
   * row holds the same names in another order.
   */
  find(rows: CsvRows): readonly number[] {
    const repeated: number[] = [];
    for (let index = 0; index < rows.length; index++) {
      const mayBe = this.#first.mayHold(rows.cells, rows.firstCell(index), rows.width(index));
      if (mayBe && this.#isRepeated(rows.row(index))) repeated.push(index);
    }
    return repeated;
  }

  #isRepeated(row: CsvRow): boolean {
    const cells = row.cells.map(plainName);
    if (this.#names.every((name, column) => cells[column] === name)) return true;
    const names = new Set(cells.filter((cell) => this.#known.has(cell)));
    if (names.size > 1 && 2 * names.size > cells.filter((cell) => cell !== "").length) throw this.#other(row);
    return false;
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

/** Finds rows that are headers themselves: nothing from there on belongs to this table. */
export class SecondTableWatch {
  readonly #table: FirstTable;
  /** Where the last row ends, and whether it is blank. */
  #end: number | undefined;
  #isBlank = false;

  constructor(table: FirstTable) {
    this.#table = table;
  }

  /** Throws an input error if one of the next rows is such a header. */
  check(rows: CsvRows): void {
    if (this.#table.headerLine === undefined) return;
    const { numeric, code } = this.#table.telling;
    const [telling] = numeric;
    const { cells, length } = rows;
    for (let index = 0; index < length; index++) {
      const first = rows.firstCell(index);
      if (beginsWithMark(cells, first)) {
        throw this.#error(
          rows.row(index),
          "this line begins with a byte order mark, as a file does: another file was appended to this one here",
          "split the file there, or delete the mark if the same table continues",
        );
      }
      if (telling !== undefined && mayBeWord(cells, first + telling)) this.#refuseWords(rows.row(index));
      if (code !== undefined && mayBeWord(cells, first + code)) this.#refuseNames(rows, index);
    }
    if (length === 0) return;
    const last = rows.row(length - 1);
    this.#end = last.end;
    this.#isBlank = last.filled === 0;
  }

  #refuseWords(row: CsvRow): void {
    if (!areWords(row.cells)) return;
    throw this.#error(
      row,
      "this line holds only words, even where the other rows hold numbers and dates: a second table begins",
      "split the file there; if it is a row like the others, mend the cells that should be numbers and dates",
    );
  }

  #refuseNames(rows: CsvRows, index: number): void {
    const end = index > 0 ? rows.end(index - 1) : this.#end;
    if (end === undefined) return;
    const row = rows.row(index);
    const isAfterBlank = index > 0 ? rows.row(index - 1).filled === 0 : this.#isBlank;
    if ((row.start === end && !isAfterBlank) || !areNames(row.cells)) return;
    throw this.#error(
      row,
      "this line is set apart from the rows above, and holds only words even where they hold numbers: a second table begins",
      "split the file there; if it is a row like the others, delete the blank line above it",
    );
  }

  #error({ line }: CsvRow, message: string, hint: string): RecPushError {
    return inputError({ file: this.#table.file, line }, "second-table", message, { hint });
  }
}

function beginsWithMark({ bytes, starts }: CsvCells, cell: number): boolean {
  const start = starts[cell]!;
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

/** The cells with which a header may begin, in whatever order it has its names. */
class FirstCells {
  readonly #byLength = new Map<number, Buffer[]>();

  constructor(columns: readonly string[]) {
    for (const column of columns) {
      const bytes = Buffer.from(column.trim());
      const alike = this.#byLength.get(bytes.length);
      if (alike === undefined) this.#byLength.set(bytes.length, [bytes]);
      else alike.push(bytes);
    }
  }

  /** False if the bytes of a row's first filled cell already show that it is no name, as for nearly all rows. */
  mayHold({ bytes, starts, ends, marks }: CsvCells, firstCell: number, width: number): boolean {
    for (let cell = firstCell; cell < firstCell + width; cell++) {
      const start = starts[cell]!;
      let end = ends[cell]!;
      while (end > start && bytes[end - 1]! <= SPACE) end -= 1;
      const length = end - start;
      // A header may have columns without a name.
      if (length === 0) continue;
      const byte = bytes[start]!;
      // Spaces, quotes and non-ASCII characters other than Latin letters, such as a byte order mark, need a closer look.
      const isOdd = byte <= DOUBLE_QUOTE || (byte >= 0x80 && byte !== LATIN_LETTERS);
      if (isOdd || (marks[cell]! & ESCAPED) !== 0) return true;
      const names = this.#byLength.get(length);
      return names !== undefined && isAnyOf(names, bytes, start);
    }
    return false;
  }
}

function isAnyOf(names: readonly Buffer[], bytes: Buffer, start: number): boolean {
  for (const name of names) if (isAlike(name, bytes, start)) return true;
  return false;
}

/** False if an ASCII character differs, and not only by its case. */
function isAlike(name: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at++) {
    const own = name[at]!;
    const other = bytes[start + at]!;
    if (own < 0x80 && other < 0x80 && (own | 0x20) !== (other | 0x20)) return false;
  }
  return true;
}

/** False if a cell is empty or contains a digit. */
function mayBeWord({ bytes, starts, ends }: CsvCells, cell: number): boolean {
  const end = ends[cell]!;
  let at = starts[cell]!;
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
  const { file, columns, headerLine, telling } = table;
  const width = columns.length;
  if (headerLine === undefined || width < 2 || cells.length !== 2 * width - 1) return;
  if (!/\p{L}$/u.test(cells[width - 1]!)) return;
  const behind = cells.slice(width);
  const names = new Set(columns);
  const isKnown = behind.every((cell) => names.has(cell)) && new Set(behind).size === behind.length;
  const isTelling = behind.some(
    (cell, at) => isWord(cell) && (telling.numeric.includes(at + 1) || isNumericLike(cells[at + 1]!)),
  );
  if (!isKnown && !(isTelling && areWords(behind))) return;
  throw inputError(
    { file, line },
    "second-table",
    "a header begins within this line: two files were joined without a line end between them",
    { hint: "split the file there, or put the line end in" },
  );
}

function isWord(cell: string): boolean {
  return !/\d/.test(cell) && /\p{L}/u.test(cell);
}
