import type { RecPushError } from "../../model/failure.ts";
import { ESCAPED } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import type { SpanRow } from "../rows.ts";
import type { CsvRows } from "./csv-cells.ts";

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
  readonly #outlines: ReadonlySet<number>;

  constructor(file: string, line: number, columns: readonly string[]) {
    this.#file = file;
    this.#line = line;
    this.#names = columns.map(plainName);
    this.#known = new Set(this.#names.filter((name) => name !== ""));
    const bytes = columns.map((column) => Buffer.from(column.trim())).filter(({ length }) => length > 0);
    this.#outlines = new Set(bytes.map((name) => outline(name, 0, name.length)));
  }

  /**
   * The numbers of the rows that repeat the header, even in capitals or after a byte order mark. Throws an input error if a
   * row holds the same names in another order.
   */
  find(rows: CsvRows): readonly number[] {
    const repeated: number[] = [];
    for (let index = 0; index < rows.length; index++)
      if (this.#mayRepeat(rows, index) && this.#isRepeated(rows.row(index))) repeated.push(index);
    return repeated;
  }

  /** False if the bytes of a row's first filled cell already show that it is no name, as for nearly all rows. */
  #mayRepeat(rows: CsvRows, index: number): boolean {
    const { bytes, starts, ends, marks } = rows.cells;
    const firstCell = rows.firstCell(index);
    for (let cell = firstCell; cell < firstCell + rows.width(index); cell++) {
      const start = starts[cell]!;
      let end = ends[cell]!;
      while (end > start && bytes[end - 1]! <= SPACE) end -= 1;
      // A header may have columns without a name.
      if (end === start) continue;
      const byte = bytes[start]!;
      // Spaces, quotes and non-ASCII characters other than Latin letters, such as a byte order mark, need a closer look.
      const isOdd = byte <= DOUBLE_QUOTE || (byte >= 0x80 && byte !== LATIN_LETTERS);
      return isOdd || (marks[cell]! & ESCAPED) !== 0 || this.#outlines.has(outline(bytes, start, end));
    }
    return false;
  }

  #isRepeated(row: SpanRow): boolean {
    const cells = row.texts.map(plainName);
    if (this.#names.every((name, column) => cells[column] === name)) return true;
    const filled = cells.filter((cell) => cell !== "");
    const names = new Set(filled.filter((cell) => this.#known.has(cell)));
    if (this.#known.has(filled[0] ?? "") && names.size > 1 && 2 * names.size > filled.length)
      throw this.#other(row);
    return false;
  }

  #other({ line }: SpanRow): RecPushError {
    return inputError(
      { file: this.#file, line },
      "second-table",
      `this line is a header, but not the same as in line ${this.#line}: a second table begins`,
      { hint: "split the file there" },
    );
  }
}

/** The length of a cell with its first and last character, in any case. */
function outline(bytes: Buffer, start: number, end: number): number {
  return ((end - start) << 16) | (fold(bytes[start]!) << 8) | fold(bytes[end - 1]!);
}

function fold(byte: number): number {
  return byte >= 0x80 ? 0x80 : byte | 0x20;
}

/** Throws an input error at a row that begins with a byte order mark: another file begins there. */
export function refuseAppendedFile(rows: CsvRows, file: string): void {
  for (let index = 0; index < rows.length; index++) {
    const { bytes, starts } = rows.cells;
    const start = starts[rows.firstCell(index)]!;
    if (bytes[start] !== 0xef || bytes[start + 1] !== 0xbb || bytes[start + 2] !== 0xbf) continue;
    throw inputError(
      { file, line: rows.line(index) },
      "second-table",
      "this line begins with a byte order mark, as a file does: another file was appended to this one here",
      { hint: "split the file there, or delete the mark if the same table continues" },
    );
  }
}

/** A header's cell as another page of the same export may write it. */
function plainName(cell: string): string {
  return cell
    .replace(/^\ufeff/, "")
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .toLowerCase();
}
