import { showCount } from "../../model/decimal-of.ts";
import type { RecPushError } from "../../model/failure.ts";
import { pause } from "../../model/interruption.ts";
import type { RowProblem } from "../../model/problem-groups.ts";
import type { Dialect, Notice, Pin } from "../../model/reading.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { faultToken } from "../xlsx/cell-faults.ts";
import { countColumns, findTellingColumns, nameColumns, type TellingColumns } from "./csv-columns.ts";
import {
  contend,
  holdsAsDelimiter,
  settleDelimiter,
  showDelimiter,
  USUAL_DELIMITERS,
} from "./csv-delimiter.ts";
import type { Marks } from "./csv-grammar.ts";
import { filledWidth, type HeaderSearch } from "./csv-header.ts";
import {
  type CsvSample,
  isRule,
  type OpenQuote,
  readSample,
  type SampleRow,
  settleQuoteStyle,
} from "./csv-quote.ts";
import { type CsvRow, isCutInEntity, mayCutEntities } from "./entity-seam.ts";
import {
  dataAbove,
  findTable,
  findWidth,
  isSupported,
  noHeader,
  refuseTitles,
  stretchOf,
} from "./header-questions.ts";

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

/** The share of rows that must hold the other delimiter, and have the full width with it. */
const LEAST_SHARE = 0.9;

/**
 * Throws an input error if the delimiter that was given makes a single column of the file, or of its header, and another
 * one makes a table: every row would be sent as one value, or be no row.
 */
function refuseOtherDelimiter(
  sample: CsvSample,
  rows: readonly SampleRow[],
  given: string,
  options: ReadOptions,
): void {
  const isOneColumn = findWidth(rows) === 1;
  for (const delimiter of USUAL_DELIMITERS) {
    const held = rows.filter(({ cells: [cell = ""] }) => holdsAsDelimiter(cell, delimiter));
    if (delimiter === given || held.length === 0) continue;
    // Decimal commas, too, are taken for delimiters: then only the header, which has none, is one column.
    if (!isOneColumn && (held[0]!.width > 1 || held.length < LEAST_SHARE * rows.length)) continue;
    const named = contend(sample, delimiter, options).find(({ isCertain }) => isCertain);
    const [table = named] = contend(sample, delimiter, { ...options, header: false });
    if (table === undefined) continue;
    const isTable = table.hasRows && Math.min(table.share, held.length / rows.length) >= LEAST_SHARE;
    if (named === undefined && !isTable) continue;
    throw inputError(
      { file: sample.file, line: held[0]!.line },
      "other-delimiter",
      `the delimiter is said to be ${quoteText(given)}, which makes one column of this line; ${quoteText(delimiter)} makes ${showCount(table.width, "column")}`,
      {
        hint: `--delimiter ${showDelimiter(delimiter)}; if the file has one column, enclose its cells in quotes`,
      },
    );
  }
}

/**
 * Returns whether the row of a scan is certain whoever reads it: its cells follow each other with a delimiter in between,
 * hold neither quotes nor escapes, and those that are quoted have one quote at each end and nothing outside.
 */
export function plainRowsOf({ delimiter, quote, escape }: Marks): (row: CsvRow) => boolean {
  const [separator, mark, other] = [codeOf(delimiter), codeOf(quote), codeOf(escape)];
  // A delimiter of several bytes is left to csv-parse.
  if (separator === -1) return () => false;
  const isLineEnd = (byte: number | undefined): boolean => byte === LINE_FEED || byte === RETURN;
  return ({ spans, firstCell, width, start: rowStart, end: rowEnd }) => {
    const { bytes, starts, ends } = spans;
    let from = rowStart;
    for (let cell = firstCell; cell < firstCell + width; cell++) {
      const end = ends[cell]!;
      const isQuoted = bytes[from] === mark && from < rowEnd;
      if (isQuoted) from++;
      if (starts[cell] !== from || end < from || end > rowEnd) return false;
      for (let at = from; at < end; at++) {
        const byte = bytes[at];
        if (byte === mark || byte === other) return false;
        if (!isQuoted && (byte === separator || isLineEnd(byte))) return false;
      }
      if (isQuoted && (end === rowEnd || bytes[end] !== mark)) return false;
      from = isQuoted ? end + 1 : end;
      if (cell < firstCell + width - 1 && (from === rowEnd || bytes[from++] !== separator)) return false;
    }
    return from === rowEnd || isLineEnd(bytes[from]);
  };
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The byte of a mark; -1 if there is none, or if it has several. */
function codeOf(mark: string): number {
  const bytes = Buffer.from(mark);
  return bytes.length === 1 ? bytes[0]! : -1;
}
