import type { Row } from "../../model/row.ts";
import { isNumericLike } from "./csv-header.ts";
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

/** Throws an input error where a row repeats the header, or is one itself: nothing below it belongs to this table. */
export function refuseSecondTable(rows: readonly Row[], table: FirstTable): void {
  const { file, columns, headerLine, numericColumns } = table;
  if (headerLine === undefined) return;
  const [first] = columns;
  const [telling] = numericColumns;
  for (const { line, cells } of rows) {
    if (cells[0] === first && columns.every((column, index) => cells[index] === column)) {
      throw inputError(
        { file, line },
        "second-table",
        `the header of line ${headerLine} is repeated here: a second table begins`,
        {
          hint: "split the file, or delete the line if the same table goes on; --no-header where the first line is a row",
        },
      );
    }
    if (telling !== undefined && isWord(cells[telling]) && isHeader(cells)) {
      throw inputError(
        { file, line },
        "second-table",
        "this line holds words only, also where the other rows hold numbers and dates: a second table begins",
        { hint: "split the file there, or pass --one-table where it is a row like the others" },
      );
    }
  }
}

function isHeader(cells: Row["cells"]): boolean {
  return cells.every(isWord) && new Set(cells).size === cells.length;
}

function isWord(cell: unknown): boolean {
  return typeof cell === "string" && !/^[^\d]*\d/.test(cell) && /\p{L}/u.test(cell);
}
