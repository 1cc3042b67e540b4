import type { RecPushError } from "../../model/failure.ts";
import { ESCAPED } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import type { CsvCells, CsvRow, CsvRows } from "./csv-cells.ts";

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
/** The first byte of the letters from U+00C0 to U+00FF, which take two bytes in either case. */
const LATIN_LETTERS = 0xc3;

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

/** Throws an input error at a row that begins with a byte order mark: another file begins there. */
export function refuseAppendedFile(rows: CsvRows, file: string): void {
  for (let index = 0; index < rows.length; index++) {
    if (!beginsWithMark(rows.cells, rows.firstCell(index))) continue;
    throw inputError(
      { file, line: rows.line(index) },
      "second-table",
      "this line begins with a byte order mark, as a file does: another file was appended to this one here",
      { hint: "split the file there, or delete the mark if the same table continues" },
    );
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
