import { pause, RecPushError } from "../model/failure.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { type InputFormat, isTabular, type Reading } from "../model/reading.ts";
import { referToSheets } from "../model/text.ts";
import { type Content, HEAD_BYTES, readContent } from "./content/content-pass.ts";
import { type CsvPlaces, settleCsv, type SettledCsv } from "./csv/settle-csv.ts";
import { inputError } from "./input-error.ts";
import { checkReadOptions, DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import type { ContentProof } from "./source/block-proof.ts";
import type { SheetRead, Source } from "./source/source.ts";

/** How a source is read, and the proof of what it held. */
export interface Inspection {
  readonly reading: Reading;
  readonly proof: ContentProof;
  readonly places: CsvPlaces;
  /** True if the source begins with a byte order mark, which is no part of its decoded content. */
  readonly hasMark: boolean;
}

/** The first pass over a source: settles how it is read, and proves its content. Throws usage and input errors. */
export async function inspectSource(source: Source, options: ReadOptions): Promise<Inspection> {
  checkReadOptions(options);
  const { name: file } = source;
  const sheet = await readSheet(source, options);
  const content = await readContent(source, sheet === undefined ? options : { encoding: "utf-8!" });
  await pause();
  const { proof, sample, encoding, hasMark } = content;
  const format = sheet === undefined ? await settleFormat(file, sample, options) : "xlsx";
  const csv = isTabular(format) ? await settleTable(file, content, options, sheet) : undefined;
  const { jsonPath } = options;
  const reading = {
    file,
    format,
    encoding,
    ...(content.isPlainAscii ? { isPlainAscii: true } : {}),
    ...(csv === undefined ? {} : { dialect: csv.dialect }),
    ...(jsonPath === undefined || holdsRejects(sample) ? {} : { jsonPath }),
    columns: csv?.columns ?? [],
    headerless: csv !== undefined && csv.dialect.headerLine === undefined,
    ...(sheet === undefined ? {} : { sheet: sheet.name }),
    ...(sheet === undefined || sheet.others.length === 0 ? {} : { otherSheets: sheet.others }),
    notices: [sheet, content, csv].flatMap((said) => said?.notices ?? []),
    pins: [sheet, content, csv].flatMap((said) => said?.pins ?? []),
    fingerprint: proof.fingerprint,
  };
  return { reading, proof, places: csv?.places ?? NO_PLACES, hasMark };
}

const NO_PLACES: CsvPlaces = { headerStart: 0, dataStart: 0, surplus: 0 };

/** How the rows of a sheet are written for the CSV reader. */
const SHEET_MARKS = { delimiter: ",", quote: '"', escape: '"' } as const;

/** Settles how the rows of a CSV or a sheet are told apart. Throws usage and input errors. */
async function settleTable(
  file: string,
  { sample: bytes, proof }: Content,
  options: ReadOptions,
  sheet: SheetRead | undefined,
): Promise<SettledCsv> {
  const { skipLines = 0, skipFooter = 0, comment = "", maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const isWhole = bytes.length === proof.totalBytes;
  const sample = { file, bytes, isWhole, skipLines, skipFooter, maxRowBytes };
  if (sheet === undefined) return settleCsv({ ...sample, comment }, options);
  try {
    const ofSheet = { ...sample, comment: "", sheetWidth: sheet.width };
    return await settleCsv(ofSheet, { ...options, ...SHEET_MARKS });
  } catch (error) {
    // The table may be in another sheet: this is the first one that holds any.
    if (sheet.others.length === 0 || !(error instanceof RecPushError)) throw error;
    throw error.withHint(referToSheets(sheet.name, sheet.others));
  }
}

/** A rejects file holds the records directly, wherever they were in the file that was pushed. */
function holdsRejects(sample: Buffer): boolean {
  const name = /^\s*\{\s*"([^"]*)"/.exec(sample.toString("latin1", 0, HEAD_BYTES))?.[1];
  return name !== undefined && isMarkerColumn(name);
}

/** The first bytes of JSON in an export; its reader is loaded only for these. */
const BEGINS_JSON: ReadonlySet<number> = new Set(Buffer.from("[{"));
const ENDS_JSON = /[}\]]\s*$/;
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from("\t\n\r "));

/** The format that is given, or that of the content. Throws an input error for JSON that is said to be CSV. */
async function settleFormat(file: string, sample: Buffer, options: ReadOptions): Promise<InputFormat> {
  const { format } = options;
  if (format === undefined) return detectFormat(sample, options);
  if (format !== "csv") return format;
  const found = await detectFormat(sample, options).catch(() => format);
  // A row may begin with a cell of JSON.
  if (found === format || !ENDS_JSON.test(sample.toString("latin1", sample.length - HEAD_BYTES)))
    return format;
  throw inputError({ file }, "not-a-table", `this is JSON, not ${format}`, { hint: formatHint(found) });
}

/** The format may be given in a config, where an option overrides it. */
function formatHint(format: InputFormat): string {
  return `--format ${format} reads it; or leave out the format, here and in the config, and the content decides`;
}

async function detectFormat(sample: Buffer, { declared, dropped }: ReadOptions): Promise<InputFormat> {
  const first = sample.find((byte) => !WHITE_SPACE.has(byte));
  if (first === undefined || !BEGINS_JSON.has(first)) return "csv";
  const { detectJson } = await import("./json/read-json.ts");
  return detectJson(sample, { declared, dropped }) ?? "csv";
}

/** Reads the sheet of a workbook; `undefined` for any other file. Throws an input error where `--format` says otherwise. */
async function readSheet(source: Source, options: ReadOptions): Promise<SheetRead | undefined> {
  const { format, sheet, maxRowBytes = DEFAULT_MAX_ROW_BYTES } = options;
  const isNamed = format === "xlsx";
  if (source.readSheet === undefined && isNamed) {
    throw inputError({ file: source.name }, "not-a-table", "this is no Excel workbook (.xlsx)", {
      hint: "leave out the format, here and in the config, and the content decides",
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
  return source.readSheet?.({ sheet, maxRowBytes });
}
