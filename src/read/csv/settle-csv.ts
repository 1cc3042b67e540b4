import { showCount } from "../../model/counts.ts";
import { pause } from "../../model/failure.ts";
import { countMarkers } from "../../model/marker-columns.ts";
import type { Dialect, Notice, Pin } from "../../model/reading.ts";
import type { RowProblem } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { faultToken } from "../xlsx/cell-faults.ts";
import {
  DELIMITER_HEAD_BYTES,
  refuseApostrophes,
  refuseBlanks,
  settleMarks,
  showDelimiter,
} from "./csv-dialect.ts";
import { findHeader, findSecondHeader } from "./csv-header.ts";
import {
  type CsvSample,
  filledWidth,
  headOf,
  readSample,
  type SampleRow,
  startOfLine,
  usualWidth,
} from "./csv-sample.ts";
import { findCutCell, mayCutEntities } from "./csv-cells.ts";
import type { Marks } from "./scan-row.ts";

/** The text of a sheet's cell that is merged with the one above it. */
const MERGED = faultToken("MERGED");

/** Where the parts of a CSV are, beside its dialect. */
export interface CsvPlaces {
  /** The byte at which the header begins, or the first row without one, and the one at which the rows begin. */
  readonly headerStart: number;
  readonly dataStart: number;
  /** Number of empty cells that every row has after its columns. */
  readonly surplus: number;
}

/** Everything that the head of a CSV settles about it. */
export interface SettledCsv {
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  readonly places: CsvPlaces;
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** Throws an input error if delimiter or header are uncertain, naming the options that settle them. */
export async function settleCsv(given: CsvSample, options: ReadOptions): Promise<SettledCsv> {
  const { sheetWidth, file } = given;
  const isSheet = sheetWidth !== undefined;
  const declared = isSheet ? undefined : readSepLine(given);
  const sample = declared === undefined ? given : { ...given, skipLines: Math.max(given.skipLines, 1) };
  const marks = await settleMarks(sample, options, declared);
  await pause();
  const head = headOf(sample, DELIMITER_HEAD_BYTES);
  const { rows, problems } = readSample(head, marks, (options.headerLine ?? sample.skipLines + 1) - 1);
  if (!rows.some(({ filled }) => filled > 0)) throw noReadableRow(file, problems[0]);
  if (!isSheet) refuseApostrophes(rows, sample, options);
  const isGiven = options.delimiter !== undefined || declared !== undefined;
  if (!isGiven) refuseBlanks(rows, marks.delimiter, file);
  const index = options.header === false ? -1 : findHeaderIn(rows, options, given);
  const header = rows[index];
  const body = rows.slice(index + 1);
  if (isSheet && header !== undefined && options.headerLine === undefined)
    refuseMergedHeader(header, body, file);
  if (header !== undefined) refuseSecondTable(body, header, file);
  // Rows that will be rejected for cut entities prove no width.
  const whole = mayCutEntities(marks, head.bytes)
    ? body.filter(({ row: { spans, firstCell, width } }) => findCutCell(spans, firstCell, width) === -1)
    : body;
  const { columns: names, surplus } =
    header === undefined ? { columns: positionsOf(body), surplus: 0 } : nameColumns(header, whole, file);
  const columns = isSheet ? names.map((name) => (name === MERGED ? "" : name)) : names;
  // Each line of a sheet is a row, even if its cells hold line ends.
  const first = isSheet ? rows[0]! : { line: sample.skipLines + 1, row: undefined };
  const dataStart = header?.row.end ?? first.row?.start ?? startOfLine(sample.bytes, first.line);
  return {
    dialect: {
      ...marks,
      comment: sample.comment,
      headerLine: header?.line,
      dataLine: header === undefined ? first.line : isSheet ? header.line + 1 : lineBehind(header),
      // Only cells with a name are filled up.
      ...(isSheet ? { sheetWidth: columns.length } : {}),
    },
    columns,
    places: { headerStart: header?.row.start ?? dataStart, dataStart, surplus },
    notices: [...noteEscape(marks, options), ...noteTitles(rows.slice(0, Math.max(index, 0)), header)],
    pins: !isGiven && columns.length > 1 ? [pinDelimiter(marks, columns, surplus, body)] : [],
  };
}

/** A header whose cells are merged with those of the row below, or above: only the user knows which row has the names. */
function refuseMergedHeader(header: SampleRow, below: readonly SampleRow[], file: string): void {
  const isMerged = ({ row }: SampleRow): boolean => row.sources.includes(MERGED);
  const next = below.findIndex((row) => !isMerged(row));
  const last = (next === -1 ? below : below.slice(0, next)).at(-1) ?? header;
  if (last === header && !isMerged(header)) return;
  throw inputError(
    { file, line: header.line },
    "merged-header",
    "cells of the header are merged with cells of other rows",
    {
      hint: `--header-line ${last.line} takes the names of that row; or unmerge the cells and write all names into one row`,
    },
  );
}

/** For words among dates the type `text` would be no answer: the rows below them belong to another table. */
function refuseSecondTable(body: readonly SampleRow[], header: SampleRow, file: string): void {
  const repeated = header.cells.map((cell) => cell.trim().toLowerCase());
  const isAgain = ({ cells }: SampleRow): boolean =>
    cells.every((cell, at) => cell.trim().toLowerCase() === repeated[at]);
  const second = findSecondHeader(
    body.filter((row) => !isAgain(row)),
    header.cells.length,
  );
  if (second === undefined) return;
  throw inputError(
    { file, line: second.line },
    "second-table",
    "this line holds words only, where the rows above it hold numbers and dates: a second table begins",
    { hint: "split the file there, or delete the line if the same table goes on" },
  );
}

/** The first line that Excel uses to name the delimiter: `sep=;`. */
function readSepLine({ bytes, skipLines }: CsvSample): string | undefined {
  const match = /^"?sep=([^\r\n])"?(?:\r\n|\n|\r|$)/iu.exec(bytes.toString("utf8", 0, 16));
  return skipLines > 0 ? undefined : match?.[1];
}

function noReadableRow(file: string, problem: RowProblem | undefined): Error {
  return problem === undefined
    ? inputError({ file }, "no-readable-row", "the file holds no row", {
        hint: "check --skip-lines, --skip-footer, --header-line and --comment",
      })
    : inputError({ file, line: problem.line }, "no-readable-row", `no row can be read: ${problem.reason}`, {
        hint: problem.hint,
      });
}

/** The number of the row that is the header. */
function findHeaderIn(
  rows: readonly SampleRow[],
  { headerLine, isKnownHeader }: ReadOptions,
  { file, sheetWidth }: CsvSample,
): number {
  if (headerLine !== undefined) {
    const [first] = rows;
    if (first?.line === headerLine && first.filled > 0) return 0;
    const what = "this line is blank, a comment or unreadable";
    throw inputError({ file, line: headerLine }, "no-header", what, {
      hint: "name the line that holds the column names: --header-line N",
    });
  }
  // A file of rows that rec-push wrote begins with its header.
  if (countMarkers(rows[0]?.cells ?? []) > 1) return 0;
  const found = findHeader(rows, isKnownHeader);
  if (typeof found === "number") return found;
  const { code, row, what, hint } = found;
  if (sheetWidth !== undefined) refuseMergedHeader(row, rows.slice(rows.indexOf(row) + 1), file);
  throw inputError({ file, line: row.line }, code, what, { hint });
}

/** The physical line after the header; the header's quoted cells may contain line ends. */
function lineBehind(header: SampleRow): number {
  return header.cells.reduce(
    (line, cell) => line + (cell.match(/\r\n|\n|\r/g)?.length ?? 0),
    header.line + 1,
  );
}

/** Rows of empty cells are no titles: they are read silently, wherever they are. */
function noteTitles(above: readonly SampleRow[], header: SampleRow | undefined): Notice[] {
  const titles = above.filter(({ filled }) => filled > 0);
  const [first] = titles;
  if (first === undefined || header === undefined) return [];
  const text = first.cells.filter((cell) => cell.trim() !== "").join(" ");
  const last = titles.at(-1)!.line;
  const lines = first.line === last ? `line ${last}` : `lines ${first.line} to ${last}`;
  return [
    {
      line: first.line,
      text: `${lines} above the header of line ${header.line} left out: ${quoteText(text, 60)}`,
    },
  ];
}

function noteEscape({ escape }: Marks, options: ReadOptions): Notice[] {
  if (options.escape !== undefined || escape !== "\\") return [];
  return [
    {
      text: 'a backslash stands before quotes inside cells (to fix it, in the config: "escape": "backslash")',
    },
  ];
}

function pinDelimiter(
  marks: Marks,
  columns: readonly string[],
  surplus: number,
  body: readonly SampleRow[],
): Pin {
  const full = body.filter(({ cells }) => cells.length === columns.length + surplus).length;
  return {
    what: "delimiter",
    option: `--delimiter ${showDelimiter(marks.delimiter)}`,
    because:
      body.length === 0
        ? `the header has ${columns.length} columns with it`
        : `${columns.length} columns in ${full} of the first ${showCount(body.length, "row")}`,
  };
}

/** Without a header columns go by position; a surplus empty cell cannot be distinguished from an empty column. */
function positionsOf(body: readonly SampleRow[]): readonly string[] {
  const width = usualWidth(body.map(({ cells }) => cells.length));
  return Array.from({ length: width }, (_, index) => String(index + 1));
}

/**
 * Empty cells at the end of the header do not count. If all rows are wider than it by the same number of empty cells, these are
 * surplus. Throws an input error where a cell of each row may hold the delimiter.
 */
function nameColumns(header: SampleRow, body: readonly SampleRow[], file: string) {
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
    "nameless-column",
    `the header has ${showCount(header.cells.length, "cell")}, every row has ${width}, and cell ${column + 1} of each row begins with a blank: it may be text with the delimiter in it, and not a cell`,
    {
      hint: "write the cells that hold the delimiter in quotes; if the rows end with a delimiter, end the header with one",
    },
  );
}
