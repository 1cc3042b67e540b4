import type { RecPushError } from "../../model/failure.ts";
import type { Dialect, Notice, Pin } from "../../model/reading.ts";
import type { RowProblem } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { settleDelimiter } from "./csv-delimiter.ts";
import { countEmptyTail, filledWidth, findHeader, findWidth, isNumericLike } from "./csv-header.ts";
import { settleQuoteStyle } from "./csv-quote.ts";
import type { Marks } from "./csv-grammar.ts";
import { readSample, type CsvSample, type SampleRow } from "./csv-sample.ts";
import { findDisputedRows } from "./disputed-rows.ts";
import type { OpenQuote } from "./quoted-columns.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { findNumericColumns } from "./second-table.ts";
import { showDelimiter } from "./show-delimiter.ts";

/** Everything that the first megabyte settles about a CSV. */
export interface SettledCsv {
  readonly dialect: Dialect;
  readonly columns: readonly string[];
  readonly headerless: boolean;
  /** Empty cells that every row has behind its columns. */
  readonly surplus: number;
  /** Positions, from 0, of the columns that hold numbers or dates. */
  readonly numericColumns: readonly number[];
  /** Where rows begin that csv-parse reads otherwise, in bytes of the content. */
  readonly disputed: readonly number[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** Throws an input error where delimiter or header are not certain, naming the options that settle them. */
export function settleCsv(given: CsvSample, options: ReadOptions): SettledCsv {
  const notices: Notice[] = [];
  const declared = readSepLine(given);
  const sample = declared === undefined ? given : { ...given, skipLines: Math.max(given.skipLines, 1) };
  const delimiter = options.delimiter ?? declared;
  const { style, width } =
    delimiter === undefined
      ? settleDelimiter(sample, options)
      : { style: settleQuoteStyle(sample, delimiter, options), width: undefined };
  const { marks, openQuote } = style;
  if (openQuote !== undefined) throw refuseOpenQuote(sample.file, openQuote);
  noteQuoting(marks, options, notices);

  const table = readSample(sample, marks, (options.headerLine ?? sample.skipLines + 1) - 1);
  const { rows } = table;
  if (rows.length === 0) {
    throw noReadableRow(sample.file, table.problems[0]);
  }
  const index =
    options.header === false ? -1 : findHeaderIndex(rows, width ?? findWidth(rows), options, sample);
  const header = rows[index];
  const body = rows.slice(index + 1);
  const { columns, surplus } = header === undefined ? countColumns(body) : nameColumns(header, body);
  const firstLine = header === undefined ? sample.skipLines + 1 : lineBehind(header);
  noteTitles(rows.slice(0, Math.max(index, 0)), header, notices);
  return {
    dialect: { ...marks, comment: sample.comment, headerLine: header?.line, dataLine: firstLine },
    columns,
    headerless: header === undefined,
    surplus,
    numericColumns: findNumericColumns(body, columns.length),
    disputed: findDisputedRows(sample.bytes, rows, marks),
    notices,
    pins: delimiter === undefined && columns.length > 1 ? [pinDelimiter(marks, columns, surplus, body)] : [],
  };
}

/** Excel's first line that names the delimiter: `sep=;`. */
function readSepLine({ bytes, skipLines }: CsvSample): string | undefined {
  const match = /^"?sep=(.)"?(?:\r\n|\n|\r|$)/isu.exec(bytes.toString("utf8", 0, 16));
  return skipLines > 0 ? undefined : match?.[1];
}

function refuseOpenQuote(file: string, { line, column, value }: OpenQuote): RecPushError {
  return inputError(
    { file, line },
    "open-quote",
    `column ${column} holds ${quoteText(value, 40)} here, and apostrophes stand around all its cells: they are quotes or text`,
    { hint: `--quote "'" takes them for quotes, --quote '"' for text` },
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

function findHeaderIndex(
  rows: readonly SampleRow[],
  width: number,
  options: ReadOptions,
  { file }: CsvSample,
): number {
  if (options.headerLine !== undefined) {
    if (rows[0]?.line === options.headerLine && filledWidth(rows[0].cells) > 0) return 0;
    throw inputError(
      { file, line: options.headerLine },
      "no-header",
      "this line is blank, a comment or unreadable",
      {
        hint: "name the line that holds the column names: --header-line N",
      },
    );
  }
  const search = findHeader(rows, width, options.isKnownHeader);
  if (search.kind === "found") return search.index;
  const line = search.row?.line;
  throw inputError(
    line === undefined ? { file } : { file, line },
    "no-header",
    `no line looks like a header${search.row === undefined ? "" : `: ${whyNoHeader(search.row, width)}`}`,
    { hint: "--no-header where the file has none, or --header-line N where line N is it" },
  );
}

function whyNoHeader({ cells }: SampleRow, width: number): string {
  if (cells.length < width) return `this one has ${cells.length} cells, most rows have ${width}`;
  const numeric = cells.find((cell) => isNumericLike(cell));
  if (numeric !== undefined) return `this one holds ${quoteText(numeric, 40)}`;
  const twice = findTwice(cells);
  return twice === undefined
    ? "this one has too many empty cells"
    : `this one holds ${quoteText(twice, 40)} twice`;
}

function findTwice(cells: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const cell of cells) {
    if (cell.trim() !== "" && seen.has(cell)) return cell;
    seen.add(cell);
  }
  return undefined;
}

/** Without a header columns go by position; empty surplus cannot be told from an empty column. */
function countColumns(body: readonly SampleRow[]): { columns: string[]; surplus: number } {
  const width = findWidth(body);
  return { columns: Array.from({ length: width }, (_, index) => String(index + 1)), surplus: 0 };
}

/** Columns without name and content at the end are surplus, where every row has them. */
function nameColumns(
  header: SampleRow,
  body: readonly SampleRow[],
): { columns: readonly string[]; surplus: number } {
  const width = body.length === 0 ? header.cells.length : findWidth(body);
  const named = filledWidth(header.cells);
  const isSame = body.every(({ cells }) => cells.length === width);
  const tail = body.length === 0 ? width : countEmptyTail(body, width);
  return isSame && width >= named && width - named <= tail
    ? { columns: header.cells.slice(0, named), surplus: width - named }
    : { columns: header.cells, surplus: 0 };
}

/** The physical line behind the header, whose quoted cells may hold line ends. */
function lineBehind(header: SampleRow): number {
  return header.cells.reduce(
    (line, cell) => line + (cell.match(/\r\n|\n|\r/g)?.length ?? 0),
    header.line + 1,
  );
}

function noteTitles(titles: readonly SampleRow[], header: SampleRow | undefined, notices: Notice[]): void {
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

function noteQuoting({ quote, escape }: Marks, options: ReadOptions, notices: Notice[]): void {
  if (options.quote === undefined && quote === "'") {
    notices.push({ text: `cells are quoted with ' (pin: --quote "'")` });
  }
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
  const full = body.filter(({ cells }) => cells.length === columns.length + surplus).length;
  return {
    what: "delimiter",
    option: `--delimiter ${showDelimiter(marks.delimiter)}`,
    because:
      body.length === 0
        ? `the header has ${columns.length} columns with it`
        : `${columns.length} columns in ${full} of the first ${body.length} rows`,
  };
}
