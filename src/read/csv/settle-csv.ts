import type { RecPushError } from "../../model/failure.ts";
import { pause } from "../../model/interruption.ts";
import type { Dialect, Notice, Pin } from "../../model/reading.ts";
import type { RowProblem } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { settleDelimiter } from "./csv-delimiter.ts";
import { isCutInEntity, mayCutEntities } from "./entity-seam.ts";
import { filledWidth, type HeaderSearch } from "./csv-header.ts";
import { findTable, findWidth, isSupported, stretchOf } from "./csv-table.ts";
import { plainRowsOf } from "./plain-quoting.ts";
import { isRule } from "./csv-words.ts";
import { settleQuoteStyle } from "./csv-quote.ts";
import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./csv-row.ts";
import { readSample, type CsvSample, type SampleRow } from "./csv-sample.ts";
import type { OpenQuote } from "./quoted-columns.ts";
import { dataAbove, noHeader, refuseTitles } from "./header-questions.ts";
import { inputError } from "../input-error.ts";
import { faultToken } from "../xlsx/cell-fault.ts";
import type { ReadOptions } from "../read-options.ts";
import { countColumns, nameColumns } from "./csv-columns.ts";
import { findTellingColumns, type TellingColumns } from "./telling-columns.ts";
import { refuseOtherDelimiter } from "./refuse-other-delimiter.ts";
import { showDelimiter } from "./show-delimiter.ts";

/** How a sheet's cell is written that is merged with the one above it. */
const MERGED = faultToken("MERGED");

/** Everything that the first megabyte settles about a CSV. */
export interface SettledCsv {
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  readonly headerless: boolean;
  /** Number of empty cells that every row has after its columns. */
  readonly surplus: number;
  readonly telling: TellingColumns;
  /** The starts of the rows that csv-parse reads differently, as byte positions in the content. */
  readonly disputed: readonly number[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** Throws an input error if delimiter or header are uncertain, naming the options that settle them. */
export async function settleCsv(given: CsvSample, options: ReadOptions): Promise<SettledCsv> {
  const notices: Notice[] = [];
  const { isSheet = false } = given;
  const declared = isSheet ? undefined : readSepLine(given);
  const sample = declared === undefined ? given : { ...given, skipLines: Math.max(given.skipLines, 1) };
  const delimiter = options.delimiter ?? declared;
  const { style, width } =
    delimiter === undefined
      ? settleDelimiter(sample, options)
      : { style: settleQuoteStyle(sample, delimiter, options), width: undefined };
  const { marks, openQuote } = style;
  if (openQuote !== undefined) throw refuseOpenQuote(sample.file, openQuote);
  noteQuoting(marks, options, notices);

  await pause();
  const table = readSample(sample, marks, (options.headerLine ?? sample.skipLines + 1) - 1);
  await pause();
  const { rows } = table;
  if (rows.length === 0) {
    throw noReadableRow(sample.file, table.problems[0]);
  }
  if (delimiter !== undefined && !isSheet) refuseOtherDelimiter(sample, rows, delimiter, options);
  if (options.header === false && options.skipLines === undefined) refuseTitles(rows, sample.file);
  const found = options.header === false ? undefined : findHeaderIn(rows, width, marks, options, sample);
  const header = found === undefined ? undefined : rows[found.index];
  const top = (found?.index ?? -1) + 1;
  if (isSheet && header !== undefined && options.headerLine === undefined)
    refuseMergedHeader(header, rows.slice(top), sample.file);
  const rule = header !== undefined && isRule(rows[top]?.cells ?? []) ? rows[top] : undefined;
  const body = rows.slice(rule === undefined ? top : top + 1);
  // Rows that are rejected for that prove no width.
  const whole = mayCutEntities({ ...marks, isSheet }) ? body.filter((row) => !isCutInEntity(row)) : body;
  const { columns: names, surplus } =
    header === undefined ? countColumns(body) : nameColumns(header, whole, sample.file, options);
  const columns = isSheet ? names.map((name) => (name === MERGED ? "" : name)) : names;
  const behind = isSheet ? (row: SampleRow): number => row.line + 1 : lineBehind;
  const firstLine = header === undefined ? sample.skipLines + 1 : behind(rule ?? header);
  await pause();
  noteTitles(rows.slice(0, Math.max(top - 1, 0)), header, notices);
  if (rule !== undefined) {
    notices.push({
      line: rule.line,
      text: `line ${rule.line} rules off the header of line ${header!.line}: left out`,
    });
  }
  return {
    dialect: {
      ...marks,
      comment: sample.comment,
      headerLine: header?.line,
      dataLine: firstLine,
      ...(isSheet ? { isSheet } : {}),
    },
    columns,
    headerless: header === undefined,
    surplus,
    telling: findTellingColumns(body, columns.length),
    disputed: await askSecondOpinion(sample.bytes, rows, marks),
    notices,
    pins: delimiter === undefined && columns.length > 1 ? [pinDelimiter(marks, columns, surplus, body)] : [],
  };
}

/** Number of rows that csv-parse reads in any case if something is quoted or escaped. */
const ALWAYS_COMPARED = 128;

/**
 * The starts of the rows that csv-parse reads differently. It is not loaded where nothing is quoted or escaped: cells are then
 * what is between the delimiters, of which there are no two readings. Nor are there of a cell that is only enclosed in
 * quotes: of such rows it reads the first ones.
 */
async function askSecondOpinion(
  bytes: Buffer,
  rows: readonly CsvRow[],
  marks: Marks,
): Promise<readonly number[]> {
  const { quote, escape } = marks;
  if (![quote, escape].some((mark) => mark !== "" && bytes.includes(mark))) return [];
  const { findDisputedRows } = await import("./disputed-rows.ts");
  const isPlain = plainRowsOf(marks);
  const asked = rows.filter((row, at) => at < ALWAYS_COMPARED || !isPlain(row));
  return findDisputedRows(bytes, asked, marks);
}

/** A header whose cells are merged with those of the row below, or above: only the user knows which row has the names. */
function refuseMergedHeader(header: CsvRow, below: readonly CsvRow[], file: string): void {
  const isMerged = ({ sources }: CsvRow): boolean => sources.includes(MERGED);
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

/** The first line that Excel uses to name the delimiter: `sep=;`. */
function readSepLine({ bytes, skipLines }: CsvSample): string | undefined {
  const match = /^"?sep=(.)"?(?:\r\n|\n|\r|$)/isu.exec(bytes.toString("utf8", 0, 16));
  return skipLines > 0 ? undefined : match?.[1];
}

function refuseOpenQuote(file: string, { line, column, value }: OpenQuote): RecPushError {
  return inputError(
    { file, line },
    "open-quote",
    `column ${column} holds ${quoteText(value, 40)} here, and all its cells are enclosed in apostrophes: they are quotes or text`,
    { hint: `--quote "'" reads them as quotes, --quote '"' as text` },
  );
}

function noReadableRow(file: string, problem: RowProblem | undefined): RecPushError {
  return problem === undefined
    ? inputError({ file }, "no-readable-row", "the file holds no row", {
        hint: "check --skip-lines, --skip-footer, --header-line and --comment",
      })
    : inputError({ file, line: problem.line }, "no-readable-row", `no row can be read: ${problem.reason}`, {
        hint: problem.hint,
      });
}

/** Where the header is. `width` is the width of the table, if the delimiter was settled by it. */
function findHeaderIn(
  rows: readonly SampleRow[],
  width: number | undefined,
  { delimiter }: Marks,
  options: ReadOptions,
  { file }: CsvSample,
): { readonly index: number } {
  if (options.headerLine !== undefined) {
    if (rows[0]?.line === options.headerLine && filledWidth(rows[0].cells) > 0) return { index: 0 };
    throw inputError(
      { file, line: options.headerLine },
      "no-header",
      "this line is blank, a comment or unreadable",
      {
        hint: "name the line that holds the column names: --header-line N",
      },
    );
  }
  const search = searchHeader(rows, width, delimiter, options.isKnownHeader);
  if (search.kind === "found") return search;
  throw search.kind === "none" ? noHeader(search, rows, file) : dataAbove(search, rows, file);
}

function searchHeader(
  rows: readonly SampleRow[],
  width: number | undefined,
  delimiter: string,
  isKnown: ReadOptions["isKnownHeader"],
): HeaderSearch {
  if (width !== undefined) return stretchOf(rows, width, isKnown).search;
  const table = findTable(rows, 2, isKnown);
  const isTable =
    table !== undefined && isSupported(table, 0, delimiter) && 2 * table.body.length >= table.below;
  return isTable ? table.search : stretchOf(rows, findWidth(rows), isKnown).search;
}

/** The physical line after the header; the header's quoted cells may contain line ends. */
function lineBehind(header: SampleRow): number {
  return header.cells.reduce(
    (line, cell) => line + (cell.match(/\r\n|\n|\r/g)?.length ?? 0),
    header.line + 1,
  );
}

/** Rows of empty cells are no titles: they are read silently, wherever they are. */
function noteTitles(above: readonly SampleRow[], header: SampleRow | undefined, notices: Notice[]): void {
  const titles = above.filter(({ filled }) => filled > 0);
  const [first] = titles;
  if (first === undefined || header === undefined) return;
  const text = first.cells
    .filter((cell) => cell.trim() !== "")
    .join(" ")
    .slice(0, 60);
  const last = titles.at(-1)?.line ?? first.line;
  notices.push({
    line: first.line,
    text: `${first.line === last ? `line ${first.line}` : `lines ${first.line} to ${last}`} above the header of line ${header.line} left out: ${quoteText(text, 200)}`,
  });
}

function noteQuoting({ escape }: Marks, options: ReadOptions, notices: Notice[]): void {
  if (options.escape === undefined && escape === "\\") {
    notices.push({ text: "a backslash stands before quotes inside cells (pin: --escape backslash)" });
  }
}

function pinDelimiter(
  marks: Marks,
  columns: readonly string[],
  surplus: number,
  body: readonly SampleRow[],
): Pin {
  const full = body.filter(({ width }) => width === columns.length + surplus).length;
  return {
    what: "delimiter",
    option: `--delimiter ${showDelimiter(marks.delimiter)}`,
    because:
      body.length === 0
        ? `the header has ${columns.length} columns with it`
        : `${columns.length} columns in ${full} of the first ${body.length} rows`,
  };
}
