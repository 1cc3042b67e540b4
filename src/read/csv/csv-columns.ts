import { showCount } from "../../model/decimal-of.ts";
import { inputError } from "../input-error.ts";
import { filledWidth, type SampleRow, usualWidth } from "./csv-sample.ts";

/** The names of the columns, and how many empty cells every row has after them. */
export interface NamedColumns {
  readonly columns: readonly string[];
  readonly surplus: number;
}

/** Without a header columns go by position; a surplus empty cell cannot be distinguished from an empty column. */
export function countColumns(body: readonly SampleRow[]): NamedColumns {
  const width = usualWidth(body.map(({ cells }) => cells.length));
  return { columns: Array.from({ length: width }, (_, index) => String(index + 1)), surplus: 0 };
}

/**
 * Empty cells at the end of the header do not count. If all rows are wider than it by the same number of empty cells, these are
 * surplus. Throws an input error where a cell of each row may hold the delimiter.
 */
export function nameColumns(header: SampleRow, body: readonly SampleRow[], file: string): NamedColumns {
  const { cells } = header;
  const named = filledWidth(cells);
  const width = body.length === 0 ? cells.length : usualWidth(body.map((row) => row.cells.length));
  const rows = body.filter((row) => row.cells.length === width);
  // Remarks and torn rows are narrower or wider than both.
  const others = body.filter((row) => row.cells.length >= named && row.cells.length < width);
  const isSurplus = others.length === 0 && rows.every((row) => filledWidth(row.cells) <= named);
  if (width < named || !isSurplus) return { columns: cells, surplus: 0 };
  if (width > cells.length) refuseShifted(header, rows, width, file);
  return { columns: cells.slice(0, named), surplus: width - named };
}

/** In unquoted text a blank follows a comma: `Dupont, Jean` is two cells, and the last column is empty. */
function refuseShifted(header: SampleRow, rows: readonly SampleRow[], width: number, file: string): void {
  const column = header.cells.findIndex(
    (_, at) => at > 0 && rows.every(({ cells }) => cells[at]!.startsWith(" ")),
  );
  if (column === -1) return;
  throw inputError(
    { file, line: header.line },
    "lost-name",
    `the header has ${showCount(header.cells.length, "cell")}, every row has ${width}, and cell ${column + 1} of each row begins with a blank: it may be text with the delimiter in it, and not a cell`,
    {
      hint: "write the cells that hold the delimiter in quotes; if the rows end with a delimiter, end the header with one",
    },
  );
}
