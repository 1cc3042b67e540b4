import { PrivateFile } from "../store/private-file.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { RowEnd, RowEnds } from "./row-ends.ts";

/** Where the results are written. */
export interface ResultsPlace {
  readonly path: string;
  readonly format: "csv" | "ndjson";
}

/** The columns of the results, in their order. */
const RESULT_COLUMNS = ["file", "line", "cle", "outcome", "batch", "status", "msg", "attempts"] as const;

/** Writes one line for every row of every input, in file order. */
export async function writeResults(
  inputs: readonly SurveyedInput[],
  ends: RowEnds,
  { path, format }: ResultsPlace,
): Promise<void> {
  const file = new PrivateFile(path, "results");
  // Spreadsheets expect the delimiter of their locale, which is most likely that of the input.
  const delimiter =
    inputs.find(({ report }) => report.reading.dialect)?.report.reading.dialect?.delimiter ?? ",";
  try {
    // Without a byte order mark, spreadsheets read UTF-8 as a legacy code page.
    if (format === "csv") await file.write(`\ufeff${RESULT_COLUMNS.join(delimiter)}\r\n`);
    for (const [at, { source }] of inputs.entries()) {
      const spell = format === "ndjson" ? inJson(source.name) : inCsv(source.name, delimiter);
      for await (const rows of ends.rows(at)) {
        const lines = rows.map(({ line, record, rejected, how }) =>
          spell(line, (record ?? rejected)?.key, how),
        );
        await file.write(lines.join(""));
      }
    }
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** Writes a row of one file; those of one batch share their last columns, which are formatted once. */
type RowFormat = (line: number, key: string | undefined, end: RowEnd) => string;

/** One line of JSON for each row. */
function inJson(file: string): RowFormat {
  const head = `{"file":${JSON.stringify(file)},`;
  const formatEnd = once(
    ({ outcome, batch = null, status = null, msg, attempts = null }) =>
      `${JSON.stringify({ outcome, batch, status, msg, attempts }).slice(1)}\n`,
  );
  return (line, key, end) => `${head}"line":${line},"cle":${JSON.stringify(key ?? null)},${formatEnd(end)}`;
}

/** One line of CSV for each row. */
function inCsv(file: string, delimiter: string): RowFormat {
  const head = quoteCell(file, delimiter) + delimiter;
  const quoted = (value: string | number | null | undefined): string =>
    quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      delimiter + [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  return (line, key, end) => {
    const cle = key === undefined ? "" : quoteCell(key, delimiter);
    return `${head}${line}${delimiter}${cle}${formatEnd(end)}\r\n`;
  };
}

/** Formats each end once: updates and creates have different ones, and follow each other in any order. */
function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  const texts = new WeakMap<RowEnd, string>();
  return (end) => {
    let text = texts.get(end);
    if (text === undefined) texts.set(end, (text = format(end)));
    return text;
  };
}

/** The characters with which a spreadsheet formula begins, with their full-width forms. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEGATIVE = /^-\d+([.,]\d+)?$/;

/** A cell of a CSV for spreadsheets (RFC 4180): quoted where necessary, and never read as a formula. */
export function quoteCell(text: string, delimiter: string): string {
  // Nearly every key and number is plain.
  if (/^\w+$/.test(text) && !text.includes(delimiter)) return text;
  const safe = FORMULA.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
  const isPlain = !/["\r\n]/.test(safe) && !safe.includes(delimiter);
  return isPlain ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/**
 * The first bytes that are read: a file's name takes at most six characters a byte, and everything else before it is short.
 */
export const RESULTS_HEAD_BYTES = 65_536;

/** True for the first bytes of a file that holds results: the header of the CSV, or the members of the first object. */
export function beginsResults(head: Buffer): boolean {
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  // The key is not read to its end, because it may be longer than the head.
  if (/^\{"file":"(?:[^"\\]|\\.)*","line":\d+,"cle":(?:null,"outcome":"|")/.test(text)) return true;
  const [, delimiter = ","] = /^file(.+?)line/.exec(text) ?? [];
  const [header = ""] = text.split(/\r?\n/, 1);
  return `${header}${delimiter}`.startsWith(`${RESULT_COLUMNS.join(delimiter)}${delimiter}`);
}
