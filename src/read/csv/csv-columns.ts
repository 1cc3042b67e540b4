import { isMarkerColumn } from "../../model/marker-columns.ts";
import type { RecPushError } from "../../model/failure.ts";
import { showCount } from "../../model/quantities.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { countEmptyTail, filledWidth } from "./csv-header.ts";
import type { SampleRow } from "./csv-sample.ts";
import { findWidth } from "./csv-table.ts";

/** The names of the columns, and how many empty cells every row has after them. */
export interface NamedColumns {
  readonly columns: readonly string[];
  readonly surplus: number;
}

/** If this many typed columns read as their types at their positions, the header has not lost a name. */
const LEAST_IN_PLACE = 2;
/** Number of rows by which that is judged. */
const ROWS_TO_TRY = 200;

/** Without a header columns go by position; a surplus empty cell cannot be distinguished from an empty column. */
export function countColumns(body: readonly SampleRow[]): NamedColumns {
  const width = findWidth(body);
  return { columns: Array.from({ length: width }, (_, index) => String(index + 1)), surplus: 0 };
}

/**
 * Columns without name and content at the end are surplus if every row has them. Throws an input error if every row has
 * one cell more than the header, and nothing proves that this is the last one.
 */
export function nameColumns(
  header: SampleRow,
  body: readonly SampleRow[],
  file: string,
  options: ReadOptions,
): NamedColumns {
  const { cells } = header;
  const width = body.length === 0 ? cells.length : findWidth(body);
  const named = filledWidth(cells);
  const rows = body.slice(0, body.findLastIndex((row) => row.width === width) + 1);
  // A row below them that is as wide as the header is no remark: it lacks nothing.
  const isSame = rows.every((row) => row.width === width) && body.every((row) => row.width !== named);
  const tail = body.length === 0 ? width : countEmptyTail(body, width);
  if (!isSame || width < named || width - named > tail) return { columns: cells, surplus: 0 };
  const more = width - named;
  if (cells.length !== named || more === 0) return { columns: cells.slice(0, named), surplus: more };
  // Positions are those of the input whose rejects a file holds.
  const first = named + 1 - cells.filter(isMarkerColumn).length;
  const positions = Array.from({ length: more }, (_, at) => String(first + at));
  if (positions.every((position) => options.isDropped?.(position) === true))
    return { columns: [...cells, ...positions.map(() => "")], surplus: 0 };
  const place = more === 1 ? findPlace(cells, rows.slice(0, ROWS_TO_TRY), options) : "unknown";
  if (options.typeOf !== undefined && place !== "in place") throw lostName(header, file, positions, place);
  return { columns: cells, surplus: more };
}

function lostName(
  { cells, line }: SampleRow,
  file: string,
  positions: readonly string[],
  place: Exclude<Place, "in place">,
): RecPushError {
  const drops = positions.map((position) => `--drop ${position}`).join(" ");
  const [wider, ends, lost] =
    positions.length === 1
      ? ["one more, which is empty", "a delimiter", "a name"]
      : [`${positions.length} more, which are empty`, "delimiters", "names"];
  const held = "a cell of each row holds the delimiter";
  const mend = `give the header ${lost.replace("a ", "the ")} that it lacks, or write the cells that hold the delimiter in quotes`;
  const [readings, hint] =
    place === "moved"
      ? [`the header has lost ${lost}, or ${held}`, mend]
      : [
          `the rows end with ${ends}, the header has lost ${lost}, or ${held}`,
          `${drops} where the rows end with ${ends}; else ${mend}`,
        ];
  return inputError(
    { file, line },
    "lost-name",
    `the header has ${showCount(cells.length, "cell")}, and every row has ${wider}: either ${readings}`,
    { hint },
  );
}

/** Where the values of the declared columns are: below their names, or one column to the right of them. */
type Place = "in place" | "moved" | "unknown";

/**
 * In place if enough declared columns read as their types at their positions, but not one position to the right, and no
 * declared column is to the right of them: the lost name may come after them.
 */
function findPlace(
  names: readonly string[],
  rows: readonly SampleRow[],
  { typeOf = () => undefined, isKnownHeader }: ReadOptions,
): Place {
  let inPlace = 0;
  // A total in a column may look like one that moved.
  let moved = 0;
  let last = -1;
  for (const [column, name] of names.entries()) {
    const reads = typeOf(name);
    if (reads === undefined) continue;
    const all = (at: number): boolean => {
      const filled = rows.map(({ cells }) => cells[at] ?? "").filter((cell) => cell.trim() !== "");
      return filled.length > 0 && filled.every(reads);
    };
    const isMoved = all(column + 1);
    if (all(column) && !isMoved) {
      inPlace++;
      last = column;
    } else if (isMoved && !all(column)) moved++;
  }
  if (moved > 0) return moved >= LEAST_IN_PLACE && inPlace === 0 ? "moved" : "unknown";
  const isOpen = names.slice(last + 1).some((name) => isKnownHeader?.(name) === true);
  return inPlace >= LEAST_IN_PLACE && !isOpen ? "in place" : "unknown";
}
