import { showCount } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { countNames } from "./csv-header.ts";
import { type CsvSample, headOf, readSample, type SampleRow, startOfLine, usualWidth } from "./csv-sample.ts";
import type { Marks } from "./scan-row.ts";

/**
 * If two delimiters fit equally from the same line on, the first of this list is chosen: files with another delimiter often hold
 * commas in numbers and texts, files with commas rarely hold the others.
 */
const CANDIDATES = ["\t", ";", "|", ","] as const;
/** The value of `--delimiter none` in {@link ReadOptions}. */
export const ONE_COLUMN = "none";

/** So many bytes decide the delimiter; more are split where two compete. */
export const DELIMITER_HEAD_BYTES = 65_536;
const MORE_BYTES = 262_144;
/** A delimiter competes if its fit is at most so much below the best. */
const NEAR = 0.3;
/** The share of lines that must be equally wide. */
const LEAST_SHARE = 0.5;
/** The least share for another delimiter than the one given. */
const CERTAIN_SHARE = 0.9;
/** So many lines are searched for declared names, and for quotes of another delimiter. */
const NAMED_LINES = 30;
const QUOTED_LINES = 500;

/** How a delimiter splits the head of a file. */
interface Fit {
  readonly delimiter: string;
  /** The number of cells, two or more, that most lines have. */
  readonly width: number;
  /** The first line of that width whose next line has it too. */
  readonly first: number;
  readonly share: number;
  /** The share; one more with two declared names in a line, one less where the quotes belong to another delimiter. */
  readonly rank: number;
}

/**
 * The marks of a CSV. The delimiter is the one given, else that with which most lines of the head are equally wide. Throws an
 * input error if no delimiter fits, or if the one given makes one column of a table.
 */
export function settleMarks(sample: CsvSample, options: ReadOptions, declared: string | undefined): Marks {
  const quote = options.quote ?? (options.escape === "'" ? "'" : '"');
  const skipLines = Math.max(sample.skipLines, (options.headerLine ?? 1) - 1);
  const head = { ...headOf(sample, DELIMITER_HEAD_BYTES), skipLines };
  const text = head.bytes.toString("utf8", startOfLine(head.bytes, skipLines + 1));
  const escape = quote === "" ? "" : (options.escape ?? findEscape(text, quote));
  const marks = { quote, escape } as const;
  const given = options.delimiter ?? declared;
  if (given === ONE_COLUMN) return { ...marks, delimiter: unusedDelimiter(sample) };
  if (given !== undefined && sample.sheetWidth !== undefined) return { ...marks, delimiter: given };
  const { isKnownHeader = () => false } = options;
  const fits = fitAll(head, marks, isKnownHeader);
  if (given !== undefined) {
    refuseOther(fits, given, text, sample.file);
    return { ...marks, delimiter: given };
  }
  const isLonger = sample.bytes.length > DELIMITER_HEAD_BYTES;
  const isOpen = findNear(fits).length > 1 && isLonger;
  const more = isOpen ? fitAll({ ...headOf(sample, MORE_BYTES), skipLines }, marks, isKnownHeader) : fits;
  return { ...marks, delimiter: choose(more, sample.file) ?? unusedDelimiter(sample) };
}

/** The delimiter that fits, `undefined` for one column. */
function choose(fits: readonly Fit[], file: string): string | undefined {
  const [best] = fits;
  if (best === undefined) return undefined;
  if (best.rank < LEAST_SHARE) throw unclear(file, best);
  const near = findNear(fits).toSorted((a, b) => a.first - b.first);
  return near[0]!.delimiter;
}

function findNear(fits: readonly Fit[]): Fit[] {
  return fits.filter(({ rank }) => fits[0]!.rank - rank < NEAR);
}

/** A backslash escapes quotes if `\"` stands inside cells and no quote is doubled; an empty cell is no doubled quote. */
function findEscape(text: string, quote: '"' | "'"): Marks["escape"] {
  const escaped = `\\${quote}`;
  if (!text.includes(escaped)) return quote;
  const others = text.replaceAll(escaped, "");
  const isInside = new RegExp(`\\\\${quote}(?![\\t;|,\\r\\n]|$)`).test(text);
  const isDoubled = new RegExp(`[^\\t;|,\\r\\n]${quote}${quote}|${quote}${quote}[^\\t;|,\\r\\n]`).test(
    others,
  );
  // At the end of a cell the second quote closes it; before anything else it is the doubled one.
  const isDoubledToo = new RegExp(`\\\\${quote}${quote}(?![\\t;|,\\r\\n]|$)`).test(text);
  return isInside && !isDoubled && !isDoubledToo ? "\\" : quote;
}

/** How each delimiter that occurs splits the head, the best first; only those that make two columns. */
function fitAll(
  head: CsvSample,
  marks: Pick<Marks, "quote" | "escape">,
  isKnown: (cell: string) => boolean,
): readonly Fit[] {
  return CANDIDATES.filter((delimiter) => head.bytes.includes(delimiter))
    .flatMap((delimiter) => measure(delimiter, splitHead(head, { ...marks, delimiter }), isKnown))
    .sort((a, b) => b.rank - a.rank);
}

/** The rows with a delimiter, and how many lines cannot be read. If most cannot be, their quotes are text. */
function splitHead(head: CsvSample, marks: Marks): SplitHead {
  // Behind a quote that is never closed, reading goes on at the next line.
  const { rows, problems } = readSample({ ...head, isWhole: true, skipFooter: 0 }, marks, head.skipLines);
  if (problems.length > rows.length && marks.quote !== "")
    return splitHead(head, { ...marks, quote: "", escape: "" });
  return { rows: rows.filter(({ filled }) => filled > 0), unreadable: problems.length };
}

interface SplitHead {
  readonly rows: readonly SampleRow[];
  readonly unreadable: number;
}

function measure(
  delimiter: string,
  { rows, unreadable }: SplitHead,
  isKnown: (cell: string) => boolean,
): Fit[] {
  const widths = rows.map(({ cells }) => cells.length);
  const width = usualWidth(widths.filter((one) => one > 1));
  if (width === 0) return [];
  const share = widths.filter((one) => one === width).length / (rows.length + unreadable);
  const isNamed = rows.slice(0, NAMED_LINES).some(({ cells }) => countNames(cells, isKnown) > 1);
  const quoted = rows.slice(0, QUOTED_LINES);
  const isForeign =
    2 * quoted.filter(({ cells }) => cells.some((cell) => /"[\t;|,]"/.test(cell))).length > quoted.length;
  const rank = share + (isNamed ? 1 : 0) - (isForeign ? 1 : 0);
  // A title alone may hold as many commas as the rows: the line after the header has its width.
  const pair = rows.find((_, at) => widths[at] === width && widths[at + 1] === width);
  return [{ delimiter, width, first: pair?.line ?? Infinity, share, rank }];
}

/** A delimiter that no line of the sample holds: each line is then one cell. */
function unusedDelimiter({ bytes }: CsvSample): string {
  return [";", "\t", "|", ","].find((delimiter) => !bytes.includes(delimiter)) ?? "\u001f";
}

function unclear(file: string, { delimiter, width, share }: Fit): RecPushError {
  const shown = showDelimiter(delimiter);
  return inputError(
    { file },
    "unclear-delimiter",
    `no delimiter makes most lines equally wide: with ${shown}, ${Math.round(100 * share)} % of them have ${width} cells`,
    {
      hint: `--delimiter ${shown} with --header-line N, if line N names the columns; --delimiter none if the file has one column`,
    },
  );
}

/** Throws an input error if the delimiter given makes one column, and another one makes a table: the file may have changed. */
function refuseOther(fits: readonly Fit[], given: string, head: string, file: string): void {
  const [best] = fits;
  if (best === undefined || best.delimiter === given || best.share < CERTAIN_SHARE) return;
  const own = fits.find(({ delimiter }) => delimiter === given);
  const first = /^.*$/m.exec(head)?.[0] ?? "";
  if (own !== undefined && (first.includes(given) || own.share >= best.share)) return;
  throw inputError(
    { file },
    "unclear-delimiter",
    `the delimiter is said to be ${quoteText(given)}, which makes one column of the first line; ${quoteText(best.delimiter)} makes ${showCount(best.width, "column")}`,
    { hint: `--delimiter ${showDelimiter(best.delimiter)}, or --delimiter none if the file has one column` },
  );
}

/** Throws an input error where every cell but the first of its row begins with a blank, which belongs to the delimiter or to the text. */
export function refuseBlanks(rows: readonly SampleRow[], delimiter: string, file: string): void {
  const wide = rows.filter(({ cells }) => cells.length > 1);
  const begins = (cell: string): boolean => cell === "" || cell.startsWith(" ");
  if (wide.length < 2 || !wide.every(({ cells }) => cells[1] !== "" && cells.slice(1).every(begins))) return;
  const shown = showDelimiter(delimiter);
  throw inputError(
    { file, line: wide[0]!.line },
    "unclear-delimiter",
    `every cell but the first of its row begins with a blank: it belongs to the delimiter ${shown}, or to the text`,
    { hint: `--delimiter '${delimiter} ' or --delimiter ${shown}` },
  );
}

/** Words that programs write without quotes even if they quote all other text. */
const BARE_WORD = /^(?:null|\\n|true|false)$/i;

/**
 * Throws an input error where all filled cells of a column, but its name, are between apostrophes: these may be quotes. In French
 * the apostrophe is a letter, so that only an option makes it a quote.
 */
export function refuseApostrophes(
  rows: readonly SampleRow[],
  { file, bytes }: CsvSample,
  { quote, escape }: ReadOptions,
): void {
  if (quote !== undefined || escape === "'" || !bytes.includes("'") || bytes.includes('"')) return;
  const width = rows.find(({ cells }) => cells.some(isBetween))?.cells.length ?? 0;
  const table = rows.filter(({ cells, filled }) => cells.length === width && 2 * filled >= width);
  for (let column = 0; column < width; column++) {
    const filled = table.filter(
      ({ cells }) => cells[column]!.trim() !== "" && !BARE_WORD.test(cells[column]!),
    );
    const body = isBetween(filled[0]?.cells[column] ?? "") ? filled : filled.slice(1);
    const [example] = body;
    if (example === undefined || !body.every(({ cells }) => isBetween(cells[column]!))) continue;
    throw inputError(
      { file, line: example.line },
      "open-quote",
      `column ${column + 1} holds ${quoteText(example.cells[column]!, 40)} here, and all its cells are enclosed in apostrophes: they are quotes or text`,
      { hint: `--quote "'" reads them as quotes, --quote '"' as text` },
    );
  }
}

function isBetween(cell: string): boolean {
  return cell.length > 1 && cell.startsWith("'") && cell.endsWith("'");
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
