import { isIdentifier } from "../../fields/columns/column-names.ts";
import { compilePattern } from "../../fields/record/field-checks.ts";
import {
  parseDecimal,
  parseMap,
  parseSet,
  parseTimeZone,
  parseTypes,
} from "../../fields/field-option-texts.ts";
import { parseDateFormat, parseType } from "../../fields/type-text.ts";
import {
  parseComment,
  parseDelimiter,
  parseEncoding,
  parseEscape,
  parseFormat,
  parseQuote,
} from "../../read/parse-read-option.ts";
import { parseInvalidLimit } from "../invalid-settings.ts";
import { parseBytes, parseConcurrency, parseCount, parseDuration, parseRate, wrongValue } from "../values.ts";
import type { ListShape, NumberShape, Shape, TextShape } from "./shape.ts";

const text = (about: string, check?: TextShape["check"]): TextShape => ({
  kind: "text",
  about,
  ...(check === undefined ? {} : { check }),
});
const choice = (about: string, values: readonly string[]): TextShape => ({ kind: "text", about, values });
const count = (about: string, least = 1): NumberShape => ({
  kind: "number",
  about,
  check: (value, path) => parseCount(path, value, least),
});
const quantity = (about: string, parse: (option: string, value: string) => unknown): TextShape => ({
  kind: "text",
  about,
  orNumber: true,
  check: (value, path) => parse(path, value),
});
const list = (about: string): ListShape => ({ kind: "list", about });

/** What a config says of one field: rules, which `--default`, `--required`, `--pattern` and `--one-of` also give. */
const FIELD_KEYS: Readonly<Record<string, Shape>> = {
  type: text("text, digits, amount, amount:2, amount:, date, date:DD/MM/YYYY ...", parseType),
  default: text("sent where the cell is empty or the file has no such column"),
  required: { kind: "flag", about: "a row without a value is invalid" },
  pattern: text("a regular expression (JavaScript, flag u) that the whole value matches", (value, path) =>
    compilePattern(path, value),
  ),
  oneOf: list("the values that are possible"),
  null: list("cells that mean nothing in this field"),
};

/**
 * The keys of a table's section. Each is named like its option (`batchSize` is `--batch-size`) and read by the same
 * parser; `fields` alone has no option of its own.
 */
export const TABLE_KEYS: Readonly<Record<string, Shape>> = {
  format: text("csv, json or ndjson", parseFormat),
  encoding: text("utf-8, windows-1252, iso-8859-15, cp850 ...", parseEncoding),
  delimiter: text('what separates cells: "," ";" "|" "tab"', parseDelimiter),
  quote: text("what quotes cells: \" or ' or none", parseQuote),
  escape: text("what escapes a quote inside quotes: the quote itself or a backslash", parseEscape),
  headerLine: count("line of the header"),
  header: { kind: "flag", about: "false: the file has no header, and columns go by position" },
  skipLines: count("lines to leave out at the top", 0),
  skipFooter: count("rows to leave out at the end", 0),
  oneTable: {
    kind: "flag",
    about: "a line of words only is a row like the others, not the header of a second table",
  },
  comment: text("leave out lines that begin with this", parseComment),
  jsonPath: text("member that holds the records"),
  maxRowBytes: quantity("longest row: 1MiB", parseBytes),
  map: {
    kind: "map",
    about: "the field of each column, by header or position",
    of: text("a field"),
    check: (column, field) => parseMap([`${column}=${String(field)}`]),
  },
  drop: list("columns to leave out, by header or position"),
  keep: list("the only columns to send, by header, field or position"),
  fields: {
    kind: "map",
    about: "type and rules of each field",
    of: { kind: "object", about: "type and rules of one field", keys: FIELD_KEYS },
    check: checkField,
  },
  set: {
    kind: "map",
    about: "values to send with every record, by field",
    of: text("the value"),
    check: (field, value) => parseSet([`${field}=${String(value)}`]),
  },
  null: list("cells that mean nothing"),
  dateFormat: text("DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, excel, epoch or epoch-ms", parseDateFormat),
  decimal: { ...choice("decimal mark of amounts", [",", "."]), check: parseDecimal },
  timeZone: text("zone whose day counts for date-times with a zone: Europe/Paris", parseTimeZone),
  empty: choice('leave empty cells out, or send them as ""', ["omit", "send"]),
  only: choice("rows of the other kind are invalid", ["updates", "creates"]),
  onInvalid: choice("what invalid rows do: stop the run, or be left out", ["stop", "skip"]),
  maxInvalid: text("with onInvalid skip: send nothing above so many invalid rows, 20 or 1%", (value, path) =>
    parseInvalidLimit(path, value),
  ),
  keepFooter: { kind: "flag", about: "a last row that looks like a total is a row like the others" },
  onRepeat: choice("rows with one key: send all in order, only the last, or stop", ["all", "last", "stop"]),
  pinned: { kind: "flag", about: "infer nothing: stop where an option should say how the file is read" },
  batchSize: count("records a request at most"),
  batchBytes: quantity("bytes a request at most: 1MiB", parseBytes),
  compress: choice("how request bodies are packed", ["gzip"]),
  concurrency: quantity("requests in flight, or auto: as many as the service bears", parseConcurrency),
  maxConcurrency: count("requests in flight at most"),
  rate: quantity("requests a second at most", parseRate),
  timeout: quantity("time for one request: 60s", parseDuration),
  retries: count("tries after the first", 0),
  maxWait: quantity("longest the service may ask to wait, in all: 15m", parseDuration),
  maxFailed: count("stop after this many failed batches in a row"),
  atomicBatches: { kind: "flag", about: "the service applies a batch whole or not at all" },
  grace: quantity("time for requests in flight after a signal: 25s", parseDuration),
};

function checkField(field: string, rules: unknown): void {
  if (!isIdentifier(field)) {
    throw wrongValue("the field", field, "a letter or _ and then letters, digits and _ only");
  }
  const { type } = rules as { readonly type?: unknown };
  if (typeof type === "string") parseTypes([`${field}=${type}`]);
}
