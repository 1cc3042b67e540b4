import { isTabular, type InputFormat, type Reading } from "../model/reading.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { quoteText } from "../model/visible-text.ts";
import type { BlockProof } from "./source/block-proof.ts";
import { type Content, HEAD_BYTES, readContent, SAMPLE_BYTES } from "./read-content.ts";
import { RecPushError } from "../model/failure.ts";
import { referToSheets } from "../model/refer-to-sheets.ts";
import { inputError } from "./input-error.ts";
import type { SheetRead, Source } from "./source/source.ts";
import { checkReadOptions, DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import { settleCsv, type SettledCsv } from "./csv/settle-csv.ts";
import { findJsonBelowText } from "./json/text-above-json.ts";
import { NOTHING_TELLING, type TellingColumns } from "./csv/telling-columns.ts";

/** How the rows of a sheet are written for the CSV reader. */
const SHEET_MARKS = { delimiter: ",", quote: '"', escape: '"', comment: undefined } as const;

/** How a source is read, and the proof of what it held. */
export interface Inspection {
  readonly reading: Reading;
  readonly proof: BlockProof;
  /** CSV: number of empty cells that every row has after its columns. */
  readonly surplus: number;
  readonly telling: TellingColumns;
  /** CSV: the starts of the rows that csv-parse reads differently, as byte positions in the content. */
  readonly disputed: readonly number[];
}

/** Reads the source to its end, only once if it is UTF-8 or windows-1252. Throws usage and input errors. */
export async function inspectSource(source: Source, options: ReadOptions): Promise<Inspection> {
  checkReadOptions(options);
  const sheet = await readSheet(source, options);
  const content = await readContent(source, sheet === undefined ? options : { encoding: "utf-8!" });
  const format = sheet === undefined ? await settleFormat(source.name, content.sample, options) : "xlsx";
  if (!isTabular(format) && content.pins.length > 0) throw notUtf8Json(source.name, content);
  const csv = isTabular(format) ? await settleTable(source, content, options, sheet) : undefined;
  return {
    reading: withSheet(toReading(source, format, content, csv, options), sheet),
    proof: content.proof,
    surplus: csv?.surplus ?? 0,
    telling: csv?.telling ?? NOTHING_TELLING,
    disputed: csv?.disputed ?? [],
  };
}

/** What JSON in an export begins with; only for that its reader is loaded. */
const BEGINS_JSON: ReadonlySet<number> = new Set(Buffer.from("[{"));
const ENDS_JSON = /[}\]]\s*$/;
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from("\t\n\r "));

/** The format that is given, or that of the content. Throws an input error for JSON that is said to be CSV. */
async function settleFormat(file: string, sample: Buffer, options: ReadOptions): Promise<InputFormat> {
  const { format } = options;
  if (format === undefined) {
    const found = await detectFormat(sample, options);
    if (found === "csv" && isUnpinned(options)) refuseJsonBelowText(file, sample);
    return found;
  }
  if (format !== "csv") return format;
  const found = await detectFormat(sample, options).catch(() => format);
  // A row may begin with a cell of JSON.
  if (found === format || !ENDS_JSON.test(sample.toString("latin1", sample.length - HEAD_BYTES)))
    return format;
  throw inputError({ file }, "not-a-table", `this is JSON, not ${format}`, { hint: formatHint(found) });
}

/** True if no option says anything about the lines of a CSV. */
function isUnpinned({ delimiter, comment, header, headerLine, skipLines }: ReadOptions): boolean {
  return [delimiter, comment, header, headerLine, skipLines].every((option) => option === undefined);
}

/** Lines of JSON would be taken for the rows of a CSV, below a header of other text. */
function refuseJsonBelowText(file: string, sample: Buffer): void {
  const line = findJsonBelowText(sample);
  if (line === undefined) return;
  throw inputError(
    { file, line },
    "text-above-json",
    `JSON begins in this line, and what is above it is none: ${quoteText(
      sample
        .toString("utf8", 0, HEAD_BYTES)
        .trim()
        .split(/[\r\n]/)[0]!,
    )}`,
    {
      hint: "delete the lines above it (a program may have written a warning there), or --format csv, if these lines are rows of text",
    },
  );
}

/** The format may be given in a config, where an option overrides it. */
function formatHint(format: InputFormat): string {
  return `--format ${format} reads it; without a format, here and in the config, the content tells it`;
}

async function detectFormat(sample: Buffer, { declared, dropped }: ReadOptions): Promise<InputFormat> {
  const first = sample.find((byte) => !WHITE_SPACE.has(byte));
  if (first === undefined || !BEGINS_JSON.has(first)) return "csv";
  const { detectJson, MemberJudge } = await import("./json/read-json.ts");
  return detectJson(sample, new MemberJudge(declared), dropped) ?? "csv";
}

/** Reads the sheet of a workbook; `undefined` for any other file. Throws an input error where `--format` says otherwise. */
async function readSheet(source: Source, options: ReadOptions): Promise<SheetRead | undefined> {
  const { format, sheet, maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const isNamed = format === "xlsx";
  if (source.readSheet === undefined && isNamed) {
    throw inputError({ file: source.name }, "not-a-workbook", "this is no Excel workbook (.xlsx)", {
      hint: "--format csv, json or ndjson reads other files; without a format, here and in the config, the content tells it",
    });
  }
  if (source.readSheet !== undefined && format !== undefined && !isNamed) {
    throw inputError(
      { file: source.name },
      "not-a-table",
      `this is an Excel workbook (.xlsx), not ${format}`,
      { hint: formatHint("xlsx") },
    );
  }
  const { headerLine, header: hasHeader, skipLines } = options;
  return source.readSheet?.({ sheet, headerLine, hasHeader, skipLines, maxRowBytes });
}

function withSheet(reading: Reading, sheet: SheetRead | undefined): Reading {
  if (sheet === undefined) return reading;
  const { name, others, notices, pins } = sheet;
  return {
    ...reading,
    sheet: name,
    ...(others.length > 0 ? { otherSheets: others } : {}),
    notices: [...notices, ...reading.notices],
    pins: [...pins, ...reading.pins],
  };
}

async function settleTable(
  source: Source,
  content: Content,
  options: ReadOptions,
  sheet: SheetRead | undefined,
): Promise<SettledCsv> {
  const sample = toCsvSample(source, content, options);
  if (sheet === undefined) return settleCsv(sample, options);
  const { headerLine = options.headerLine } = sheet;
  const { name, others } = sheet;
  try {
    return await settleCsv(
      { ...sample, comment: "", isSheet: true },
      { ...options, ...SHEET_MARKS, headerLine },
    );
  } catch (error) {
    // The table may be in another sheet: this is the first one that holds any.
    if (others.length === 0 || !(error instanceof RecPushError)) throw error;
    throw error.withHint(referToSheets(name, others));
  }
}

function toCsvSample(
  source: Source,
  { sample, proof }: Content,
  options: ReadOptions,
): Parameters<typeof settleCsv>[0] {
  return {
    file: source.name,
    bytes: sample,
    isWhole: proof.totalBytes <= SAMPLE_BYTES,
    skipLines: options.skipLines ?? 0,
    skipFooter: options.skipFooter ?? 0,
    comment: options.comment ?? "",
    maxRowBytes: options.maxRowBytes ?? DEFAULT_MAX_ROW_BYTES,
  };
}

function toReading(
  source: Source,
  format: InputFormat,
  content: Content,
  csv: SettledCsv | undefined,
  options: ReadOptions,
): Reading {
  return {
    file: source.name,
    format,
    encoding: content.encoding,
    ...(content.isPlainAscii === true ? { isPlainAscii: true } : {}),
    ...(csv === undefined ? {} : { dialect: csv.dialect }),
    ...(options.jsonPath === undefined || holdsRejects(content.sample) ? {} : { jsonPath: options.jsonPath }),
    columns: csv?.columns ?? [],
    headerless: csv?.headerless ?? false,
    fingerprint: content.proof.fingerprint,
    notices: [...content.notices, ...(csv?.notices ?? [])],
    pins: [...content.pins, ...(csv?.pins ?? [])],
  };
}

/** A rejects file holds the records directly, wherever they were in the file that was pushed. */
function holdsRejects(sample: Buffer): boolean {
  const name = /^\s*\{\s*"([^"]*)"/.exec(sample.toString("latin1", 0, HEAD_BYTES))?.[1];
  return name !== undefined && isMarkerColumn(name);
}

function notUtf8Json(file: string, content: Content): RecPushError {
  return inputError(
    { file, ...placeOfForeignByte(content) },
    "json-not-utf-8",
    "JSON must be UTF-8, or UTF-16 with a byte order mark, and this line is neither",
    { hint: `export the file again as UTF-8, or name its encoding: --encoding ${content.encoding}` },
  );
}

/** The place of the first non-ASCII character; the sample may end before its line. */
function placeOfForeignByte({ foreignLine, sample }: Content): { line?: number; column?: number } {
  if (foreignLine === undefined) return {};
  const text = sample.toString().split(/\r\n|\n|\r/)[foreignLine - 1] ?? "";
  const at = Array.from(text).findIndex((character) => character > "\u007f");
  return at === -1 ? { line: foreignLine } : { line: foreignLine, column: at + 1 };
}
