import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import {
  type CsvSample,
  isNumericLike,
  type QuoteStyle,
  type SampleRow,
  settleQuoteStyle,
} from "./csv-quote.ts";
import { findTable, isSupported, type TableStretch } from "./header-questions.ts";

export const USUAL_DELIMITERS = [",", ";", "\t", "|"];
/** These occur inside times, paths and web addresses: only an option makes one the delimiter. */
const RARE_DELIMITERS = ["~", "^", ":"];

/** The delimiter, and the number of cells that most rows have when it is used. */
export interface SettledDelimiter {
  readonly style: QuoteStyle;
  readonly width: number;
}

/**
 * If a smaller share of the rows' cells is free of other delimiters, those are the delimiters and the header is prose.
 */
const LEAST_PURITY = 0.2;

/** A delimiter that makes a table of the sample. */
interface Contender extends SettledDelimiter {
  /** Share of the rows after the header that have the full width. */
  readonly share: number;
  /** Share of unquoted cells, of header and rows alike, that contain no other usual delimiter. */
  readonly purity: number;
  /** True if a row below the header can be read. */
  readonly hasRows: boolean;
  /** True if its header names declared columns. */
  readonly isCertain: boolean;
  /** True if nearly every cell of its rows contains another usual delimiter. */
  readonly isProse: boolean;
}

/** Throws an input error if two delimiters read equally well, or if the only one makes no table. */
export function settleDelimiter(sample: CsvSample, options: ReadOptions): SettledDelimiter {
  const ranked = rank(sample, USUAL_DELIMITERS, options);
  const declared = ranked.filter(({ isCertain }) => isCertain);
  const [best, rival] = declared.length > 0 ? declared : ranked;
  if (best !== undefined) {
    if (rival !== undefined && isClose(best, rival)) throw ambiguous(sample.file, best, rival);
    if (best.isCertain) return best;
    if (!best.isProse && best.hasRows) return findPurer(sample, best, options) ?? best;
  }
  // It is a table from the very first line, so it only lacks a header, which the search for one reports.
  const headerless =
    options.header === undefined && options.headerLine === undefined
      ? rank(sample, USUAL_DELIMITERS, { ...options, header: false }).find(isTableFromTheTop)
      : undefined;
  if (headerless !== undefined && (best === undefined || best.isProse || headerless.width > best.width))
    return headerless;
  if (best !== undefined && !best.isProse) return best;
  return settleSingleColumn(sample, options);
}

/**
 * Another delimiter, that occurs in the cells of the best one and makes more columns, whose header cannot be used (a name comes twice,
 * say): a title with commas in it must not be taken for the header instead.
 */
function findPurer(sample: CsvSample, best: Contender, options: ReadOptions): Contender | undefined {
  const isGiven = options.header !== undefined || options.headerLine !== undefined;
  if (isGiven || best.purity >= 0.8) return undefined;
  const [first] = rank(sample, USUAL_DELIMITERS, { ...options, header: false });
  if (first === undefined || first.style.marks.delimiter === best.style.marks.delimiter) return undefined;
  const isBetter = first.share * first.purity > best.share * best.purity && first.width > best.width;
  return isBetter && !first.isProse ? first : undefined;
}

/** Those that make a table, best first. */
function rank(sample: CsvSample, delimiters: readonly string[], options: ReadOptions): Contender[] {
  return delimiters
    .flatMap((delimiter) => contend(sample, delimiter, options))
    .sort((a, b) => b.share * b.purity - a.share * a.purity || b.width - a.width);
}

/**
 * True if both read the file about equally well; the shares were found by trying real exports and artificial worst
 * cases.
 */
function isClose(best: Contender, rival: Contender): boolean {
  return (
    rival.share * rival.purity > 0.7 * best.share * best.purity ||
    (best.purity < 0.8 && rival.share >= 0.9 * best.share)
  );
}

/** The table that a delimiter makes of the sample; none if it makes no table. */
export function contend(sample: CsvSample, delimiter: string, options: ReadOptions): Contender[] {
  if (!sample.bytes.includes(delimiter)) return [];
  const style = settleQuoteStyle(sample, delimiter, options);
  const { rows, problems } = style.table;
  const table = findPinnedTable(rows, options) ?? findTable(rows, 2, options.isKnownHeader, options.header);
  if (table === undefined || table.width < 2 || table.search.kind === "none") return [];
  const { width, body, search } = table;
  const header = search.index;
  if (header < 0 && delimiter === "," && width === 2 && rows.every(isDecimal)) return [];
  const [first = 0, last = 0] = [rows[header]?.line, body.at(-1)?.line];
  const faults = problems.filter(({ line }) => line > first && line < last).length;
  const full = body.filter((row) => row.width === width).length;
  const share = body.length + faults === 0 ? 1 : full / (body.length + faults);
  if (!isSupported(table, faults, delimiter) || share < (header <= 0 ? 0.3 : 0.5)) return [];
  const quote = style.marks.quote;
  const others = USUAL_DELIMITERS.filter((other) => other !== delimiter);
  const values = header < 0 ? body.slice(1) : body;
  const ofValues = measurePurity(values, quote, others);
  const purity =
    header < 0 || body.length === 0
      ? measurePurity(rows, quote, others)
      : (measurePurity(rows.slice(header, header + 1), quote, others) + ofValues) / 2;
  const isCertain = search.kind === "found" && search.isCertain;
  const isProse = values.length > 0 && ofValues < LEAST_PURITY;
  return [{ style, width, share, purity, hasRows: body.length > 0, isCertain, isProse }];
}

/** The table below a header that an option names. */
function findPinnedTable(rows: readonly SampleRow[], { headerLine }: ReadOptions): TableStretch | undefined {
  if (headerLine === undefined) return undefined;
  const pinned = rows.findIndex(({ line }) => line === headerLine);
  if (pinned === -1) return undefined;
  const table = findTable(rows.slice(pinned), 2, undefined, false);
  const isHeader = (rows[pinned]?.width ?? 0) > 1;
  return (
    table && {
      ...table,
      above: 0,
      body: table.body.slice(1),
      search: isHeader
        ? { kind: "found", index: pinned, isCertain: true }
        : { kind: "none", row: rows[pinned], why: "form" },
    }
  );
}

function isTableFromTheTop({ style, width, share, isProse }: Contender): boolean {
  return share >= 0.5 && !isProse && (style.table.rows[0]?.width ?? 0) > width / 2;
}

/** Without a header there is nothing that says whether `12,50` is one cell or two. */
function isDecimal({ cells: [before = "", after = ""] }: SampleRow): boolean {
  return /\d$/.test(before) && /^\d/.test(after);
}

function measurePurity(rows: readonly SampleRow[], quote: string, others: readonly string[]): number {
  let cellCount = 0;
  let pure = 0;
  for (const { cells } of rows) {
    for (const cell of cells) {
      cellCount += 1;
      if (
        (quote !== "" && cell.startsWith(quote)) ||
        !others.some((other) => holdsAsDelimiter(cell, other))
      ) {
        pure += 1;
      }
    }
  }
  return cellCount === 0 ? 1 : pure / cellCount;
}

/** A comma between digits is a decimal or grouping mark, and one before a blank belongs to prose. */
export function holdsAsDelimiter(cell: string, other: string): boolean {
  return other === "," ? /(?<!\d),(?!\s|$)|,(?![\d\s]|$)/.test(cell) : cell.includes(other);
}

function settleSingleColumn(sample: CsvSample, options: ReadOptions): SettledDelimiter {
  // A delimiter that no row holds reads every line as one cell.
  const unused = [";", "\t", "|", ","].find((delimiter) => !sample.bytes.includes(delimiter)) ?? "\u001f";
  const style = settleQuoteStyle(sample, unused, options);
  const { rows, problems } = style.table;
  const count = (text: string): number => sample.bytes.toString("latin1").split(text).length - 1;
  if (rows.length === 0) {
    // Nothing can be read; the most frequent delimiter gives the most accurate reason.
    const [likely = ","] = USUAL_DELIMITERS.toSorted((a, b) => count(b) - count(a));
    return { style: settleQuoteStyle(sample, likely, options), width: 1 };
  }
  // Where every cell is quoted, a delimiter stands after the quote that closes a cell, and the line is not a single
  // cell.
  const behind = (delimiter: string): number => count(`"${delimiter}`);
  const [quoted = ","] = USUAL_DELIMITERS.toSorted((a, b) => behind(b) - behind(a));
  if (problems.length > 0 && 2 * problems.length >= rows.length && behind(quoted) >= problems.length)
    throw unclear(sample.file, problems[0]!.line, quoted);
  const header = rows.find(({ line }) => line === (options.headerLine ?? line));
  const isBare = ({ cells }: SampleRow): boolean => cells[0]?.startsWith('"') !== true;
  for (const delimiter of USUAL_DELIMITERS) {
    const holding = rows.filter(
      (row) => isBare(row) && mayBeDelimited(row.cells[0] ?? "", delimiter, options.header === false),
    );
    const isInHeader =
      header !== undefined && isBare(header) && header.cells[0]?.includes(delimiter) === true;
    const shown = isInHeader && options.header !== false ? header : holding[0];
    if (shown !== undefined && (shown === header || holding.length >= rows.length / 2)) {
      throw unclear(sample.file, shown.line, delimiter);
    }
  }
  const rare = RARE_DELIMITERS.find((sign) => areDivided(rows, sign));
  if (rare !== undefined) throw rarely(sample.file, rows[0]!.line, rare);
  return { style, width: 1 };
}

/** True if every line holds the sign, and as often as the first one. */
function areDivided(rows: readonly SampleRow[], sign: string): boolean {
  const [first = 0, ...others] = rows.map(({ cells: [cell = ""] }) =>
    cell.startsWith('"') ? 0 : cell.split(sign).length - 1,
  );
  return first > 0 && others.length > 0 && others.every((times) => times === first);
}

/** In a single column under a header, a comma inside a number or before a blank is not a delimiter. */
function mayBeDelimited(cell: string, delimiter: string, isHeaderless: boolean): boolean {
  const isText =
    delimiter === "," &&
    !isHeaderless &&
    ((isNumericLike(cell) && ONE_NUMBER.test(cell)) || !/,(?!\s)/.test(cell));
  return cell.includes(delimiter) && !isText;
}

/** A number with decimals after a comma, or with groups of three. */
const ONE_NUMBER =
  /^[^\d,]*(?:\d+|\d{1,3}(?:[ .'’\u00a0\u202f]\d{3})+),\d+[^\d,]*$|^[^\d,]*\d{1,3}(?:,\d{3})+(?:\.\d+)?[^\d,]*$/;

function unclear(file: string, line: number, delimiter: string): RecPushError {
  return inputError(
    { file, line },
    "unclear-delimiter",
    `this line holds ${showDelimiter(delimiter)}, but the lines do not form a table with it or any other delimiter`,
    {
      hint: `name the delimiter: --delimiter ${showDelimiter(delimiter)}, and the header's line: --header-line N`,
    },
  );
}

function rarely(file: string, line: number, delimiter: string): RecPushError {
  const shown = showDelimiter(delimiter);
  return inputError(
    { file, line },
    "unclear-delimiter",
    `every line holds ${shown} as often as this one: it may be the delimiter, which is chosen only if it is , ; | or tab`,
    { hint: `--delimiter ${shown}; if the file has one column, enclose its cells in quotes` },
  );
}

function ambiguous(file: string, best: Contender, rival: Contender): RecPushError {
  const [first, second] = [best, rival].map(({ style }) => showDelimiter(style.marks.delimiter));
  return inputError(
    { file },
    "ambiguous-delimiter",
    `the delimiter may be ${first} (${best.width} columns) or ${second} (${rival.width} columns)`,
    { hint: `--delimiter ${first} or --delimiter ${second}` },
  );
}

const WORDS: Readonly<Record<string, string>> = { "\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe" };

/** A delimiter as a word that every shell leaves unchanged, if there is one. */
export function nameDelimiter(delimiter: string): string {
  return WORDS[delimiter] ?? delimiter;
}

/** A delimiter as it is written in a shell after `--delimiter`. */
export function showDelimiter(delimiter: string): string {
  const word = nameDelimiter(delimiter);
  if (word !== delimiter) return word;
  return delimiter === "'" ? `"'"` : `'${delimiter}'`;
}
