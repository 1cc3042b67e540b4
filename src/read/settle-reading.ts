import { RecPushError } from "../model/failure.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { isTabular, type InputFormat, type ReadingSoFar } from "../model/reading.ts";
import { referToSheets } from "../model/refer-to-sheets.ts";
import { HEAD_BYTES } from "./content/content-reader.ts";
import type { Content } from "./content/settle-encoding.ts";
import { settleCsv, type SettledCsv } from "./csv/settle-csv.ts";
import { inputError } from "./input-error.ts";
import { DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import { settleFormat } from "./settle-format.ts";
import type { SheetRead, Source } from "./source/source.ts";

/** How the rows of a sheet are written for the CSV reader. */
const SHEET_MARKS = { delimiter: ",", quote: '"', escape: '"', comment: undefined } as const;

/** More lines tell nothing more of how a file is read. */
const MOST_LINES = 32_768;
const LF = 10;
const CR = 13;

/** The beginning of a content. */
interface Sample {
  readonly sample: Buffer;
  readonly isWhole: boolean;
}

/** What a sample settles. */
export interface SettledSample {
  readonly format: InputFormat;
  readonly csv: SettledCsv | undefined;
}

/** Settles the format of a content and how its rows are told apart. Throws usage and input errors. */
export async function settleSample(
  source: Source,
  content: Sample,
  options: ReadOptions,
  sheet: SheetRead | undefined,
): Promise<SettledSample> {
  const format = sheet === undefined ? await settleFormat(source.name, content.sample, options) : "xlsx";
  const csv = isTabular(format) ? await settleTable(source, content, options, sheet) : undefined;
  return { format, csv };
}

async function settleTable(
  source: Source,
  content: Sample,
  options: ReadOptions,
  sheet: SheetRead | undefined,
): Promise<SettledCsv> {
  const sample = toCsvSample(source, content, options);
  if (sheet === undefined) return settleCsv(sample, options);
  const { name, others } = sheet;
  try {
    return await settleCsv({ ...sample, comment: "", isSheet: true }, { ...options, ...SHEET_MARKS });
  } catch (error) {
    // The table may be in another sheet: this is the first one that holds any.
    if (others.length === 0 || !(error instanceof RecPushError)) throw error;
    throw error.withHint(referToSheets(name, others));
  }
}

function toCsvSample(
  source: Source,
  { sample, isWhole }: Sample,
  options: ReadOptions,
): Parameters<typeof settleCsv>[0] {
  const bytes = firstLines(sample);
  return {
    file: source.name,
    bytes,
    isWhole: isWhole && bytes.length === sample.length,
    skipLines: options.skipLines ?? 0,
    skipFooter: options.skipFooter ?? 0,
    comment: options.comment ?? "",
    maxRowBytes: options.maxRowBytes ?? DEFAULT_MAX_ROW_BYTES,
  };
}

/** A megabyte of lines of one byte would become half a million rows, several times over. */
function firstLines(sample: Buffer): Buffer {
  let lines = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at];
    if (byte !== LF && byte !== CR) continue;
    lines++;
    if (lines === MOST_LINES) return sample.subarray(0, at + 1);
  }
  return sample;
}

/** How the content is read. */
export function toReading(
  file: string,
  { format, csv }: SettledSample,
  content: Pick<Content, "encoding" | "isPlainAscii" | "sample" | "notices" | "pins">,
  { jsonPath }: ReadOptions,
  sheet: SheetRead | undefined,
): ReadingSoFar {
  const reading = {
    file,
    format,
    encoding: content.encoding,
    ...(content.isPlainAscii === true ? { isPlainAscii: true } : {}),
    ...(csv === undefined ? {} : { dialect: csv.dialect }),
    ...(jsonPath === undefined || holdsRejects(content.sample) ? {} : { jsonPath }),
    columns: csv?.columns ?? [],
    headerless: csv?.headerless ?? false,
    notices: [...content.notices, ...(csv?.notices ?? [])],
    pins: [...content.pins, ...(csv?.pins ?? [])],
  };
  return withSheet(reading, sheet);
}

function withSheet(reading: ReadingSoFar, sheet: SheetRead | undefined): ReadingSoFar {
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

/** A rejects file holds the records directly, wherever they were in the file that was pushed. */
function holdsRejects(sample: Buffer): boolean {
  const name = /^\s*\{\s*"([^"]*)"/.exec(sample.toString("latin1", 0, HEAD_BYTES))?.[1];
  return name !== undefined && isMarkerColumn(name);
}

/** The input error for JSON in another encoding than those that it may have. */
export function notUtf8Json(file: string, content: Content): RecPushError {
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
