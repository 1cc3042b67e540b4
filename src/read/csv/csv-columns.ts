import { showCount } from "../../model/decimal-of.ts";
import type { RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { countEmptyTail, filledWidth } from "./csv-header.ts";
import { holdsDigit, isNumericLike, type SampleRow } from "./csv-quote.ts";
import type { CsvRow } from "./entity-seam.ts";
import { findWidth } from "./header-questions.ts";

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

/** The columns by which the header of a second table is recognised; positions are counted from 0. */
export interface TellingColumns {
  /** Those that hold numbers or dates; fewer than two prove nothing, so none are given. */
  readonly numeric: readonly number[];
  /** The first one whose values all contain digits, such as a key: it tells a header below a blank line. */
  readonly code: number | undefined;
}

/** What tells nothing: no row is the header of another table. */
export const NOTHING_TELLING: TellingColumns = { numeric: [], code: undefined };

/** Share of a column's filled cells that must be numbers or dates, or contain digits, for a word there to be an exception. */
const SHARE = 0.9;
/** Fewer values prove nothing about a column. */
const LEAST_ROWS = 2;
/** So many rows tell what a column holds. */
const MOST_ROWS = 4096;
/** Fewer rows above a line of words prove nothing if no blank line separates them. */
const LEAST_ROWS_ABOVE = 2;

/** The telling columns of a table, by the beginning of its rows: a second table among them does not count against them. */
export function findTellingColumns(body: readonly CsvRow[], width: number): TellingColumns {
  const rows = body.filter((row) => row.width >= width);
  const above = rows.slice(0, findHeaderAfterGap(rows));
  return {
    numeric: findNumericColumns(rows, above, width),
    code: findCode(above.slice(0, MOST_ROWS), width),
  };
}

/** True if the cells are names: all of them filled with letters, and distinct. They may contain digits after these. */
export function areNames(cells: readonly string[]): boolean {
  return (
    new Set(cells).size === cells.length && cells.every((cell) => /\p{L}/u.test(cell) && !isNumericLike(cell))
  );
}

/** True if the cells are names without digits. */
export function areWords(cells: readonly string[]): boolean {
  return areNames(cells) && !cells.some(holdsDigit);
}

/** The index of the first row of names after a blank line, the number of rows if there is none. */
function findHeaderAfterGap(rows: readonly CsvRow[]): number {
  const found = rows.findIndex((row, at) => {
    const before = rows[at - 1];
    const isAfterGap = before !== undefined && (before.end !== row.start || before.filled === 0);
    return isAfterGap && areNames(row.cells);
  });
  return found === -1 ? rows.length : found;
}

function findNumericColumns(
  rows: readonly CsvRow[],
  above: readonly CsvRow[],
  width: number,
): readonly number[] {
  const usual = findNumeric(rows.slice(0, MOST_ROWS), width);
  if (usual.length > 0) return usual;
  const first = findNumeric(above, width);
  if (first.length > 0) return first;
  // The only line of words in a file is an exception, however few rows there are.
  const words = rows.flatMap((row, at) => (row.width === width && areWords(row.cells) ? [at] : []));
  const [only = 0] = words;
  return words.length === 1 && only >= LEAST_ROWS_ABOVE ? findNumeric(rows.slice(0, only), width) : [];
}

function findNumeric(rows: readonly CsvRow[], width: number): readonly number[] {
  const positions = columnsOf(width).filter((column) => isShared(rows, column, isNumericLike));
  return positions.length > 1 ? positions : [];
}

function findCode(rows: readonly CsvRow[], width: number): number | undefined {
  if (width === 1) return undefined;
  return columnsOf(width).find((column) => isShared(rows, column, holdsDigit, LEAST_ROWS));
}

/** True if nearly all of a column's filled cells, of which there are `least`, pass. */
function isShared(
  rows: readonly CsvRow[],
  column: number,
  test: (value: string) => boolean,
  least = 1,
): boolean {
  let passing = 0;
  let filled = 0;
  for (const row of rows) {
    const cell = row.cell(column);
    const passes = test(cell);
    if (passes) passing++;
    if (passes || cell.trim() !== "") filled++;
  }
  return passing > 0 && filled >= least && passing >= SHARE * filled;
}

function columnsOf(width: number): number[] {
  return Array.from({ length: width }, (_, column) => column);
}
