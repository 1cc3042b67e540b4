import type { InputFormat } from "../model/reading.ts";
import { quoteText } from "../model/visible-text.ts";
import { HEAD_BYTES } from "./content/content-reader.ts";
import { inputError } from "./input-error.ts";
import { DEFAULT_MAX_ROW_BYTES, type ReadOptions } from "./read-options.ts";
import type { SheetRead, Source } from "./source/source.ts";

/** What JSON in an export begins with; only for that its reader is loaded. */
const BEGINS_JSON: ReadonlySet<number> = new Set(Buffer.from("[{"));
const ENDS_JSON = /[}\]]\s*$/;
const WHITE_SPACE: ReadonlySet<number> = new Set(Buffer.from("\t\n\r "));

/** The format that is given, or that of the content. Throws an input error for JSON that is said to be CSV. */
export async function settleFormat(file: string, sample: Buffer, options: ReadOptions): Promise<InputFormat> {
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

/** A line that opens an array or object, begins an array of objects, or is an object. */
const LINE_OF_JSON = /^(?:[[{]|\[\s*\{(?:".*)?|\{".*\},?)$/;
const LOOKED_AT_LINES = 50;

/** Lines of JSON would be taken for the rows of a CSV, below a header of other text. */
function refuseJsonBelowText(file: string, sample: Buffer): void {
  const lines = sample.toString("utf8", 0, HEAD_BYTES).split(/\r\n|\n|\r/, LOOKED_AT_LINES);
  const at = lines.findIndex((line) => LINE_OF_JSON.test(line.trim()));
  if (at < 1) return;
  throw inputError(
    { file, line: at + 1 },
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
export async function readSheet(source: Source, options: ReadOptions): Promise<SheetRead | undefined> {
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
  return source.readSheet?.({ sheet, maxRowBytes });
}
