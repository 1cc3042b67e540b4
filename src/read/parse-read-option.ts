import type { Dialect, InputFormat } from "../model/reading.ts";
import { badOptionValue } from "../model/text.ts";
import { ONE_COLUMN } from "./csv/csv-dialect.ts";
import { loadIconv } from "./text/decode.ts";

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  tab: "\t",
  "\\t": "\t",
  comma: ",",
  semicolon: ";",
  pipe: "|",
  none: ONE_COLUMN,
};

/**
 * Accepts the characters themselves (`;`, `, `) or a name: `tab`, `\t`, `comma`, `semicolon`, `pipe`; `none` for one column.
 * Throws a usage error.
 */
export function parseDelimiter(text: string, option: string): string {
  const named = DELIMITER_NAMES[text.toLowerCase()];
  if (named !== undefined) {
    return named;
  }
  // A letter or a digit would split every value.
  if (text === "" || text.length > 8 || /[\r\n"'\\\p{L}\p{N}]/u.test(text)) {
    throw badOptionValue(
      option,
      text,
      "characters other than letters, digits, quotes and line ends, or tab, comma, semicolon, pipe, none",
    );
  }
  return text;
}

const QUOTES: Readonly<Record<string, Dialect["quote"]>> = { '"': '"', "'": "'", none: "", "": "" };
const ESCAPES: Readonly<Record<string, Dialect["escape"]>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  backslash: "\\",
};
const FORMATS: Readonly<Record<string, InputFormat>> = {
  csv: "csv",
  tsv: "csv",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  xlsx: "xlsx",
};

/** The value of one of the spellings. Throws a usage error for any other text. */
function valueOf<Value>(
  spellings: Readonly<Record<string, Value>>,
  text: string,
  option: string,
  expected: string,
): Value {
  if (Object.hasOwn(spellings, text)) return spellings[text]!;
  throw badOptionValue(option, text, expected);
}

/** Accepts `"`, `'` or `none`. Throws a usage error. */
export function parseQuote(text: string, option: string): Dialect["quote"] {
  return valueOf(QUOTES, text, option, "\", ' or none");
}

/** Accepts a backslash (also `backslash`), or the quote that is written twice. Throws a usage error. */
export function parseEscape(text: string, option: string): Dialect["escape"] {
  return valueOf(ESCAPES, text, option, "\", ' or backslash");
}

/** Accepts the text that begins a comment line. Throws a usage error for blanks and line ends. */
export function parseComment(text: string, option: string): string {
  if (text.trim() === "" || /[\r\n]/.test(text)) {
    throw badOptionValue(option, text, "the characters that begin a comment line, such as #");
  }
  return text;
}

/** Takes `csv`, `json`, `ndjson` or `xlsx` (also `jsonl`, `tsv`). Throws a usage error. */
export function parseFormat(text: string, option: string): InputFormat {
  return valueOf(FORMATS, text.toLowerCase(), option, "csv, json, ndjson or xlsx");
}

/** Spellings of an encoding, in lower case and without punctuation, where these are not iconv-lite's own. */
const ENCODING_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^utf8(?:sig|bom)?$/, "utf-8"],
  [/^utf(16|32)(?:le)?$/, "utf-$1le"],
  [/^utf(16|32)be$/, "utf-$1be"],
  // The labels of the WHATWG Encoding Standard that mean windows-1252.
  [/^(?:iso88591|latin1|l1|(?:us)?ascii|ansi|(?:windows|cp)?1252)$/, "windows-1252"],
  [/^x?mac(?:roman|intosh)$/, "macroman"],
];

/** iconv-lite also has transport encodings, which are not text encodings. */
const NO_TEXT = /^(?:base64|hex|binary|(?:unicode11)?utf7(?:imap)?|cesu8|ucs2|)$/;

/**
 * Converts an encoding's name to the form that {@link ReadOptions} and `Reading` use; a `!` after it is kept. Throws a
 * usage error.
 */
export function parseEncoding(text: string, option: string): string {
  const name = text.replace(/!$/, "");
  const force = text.slice(name.length);
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const named = ENCODING_NAMES.find(([spelling]) => spelling.test(plain));
  if (named !== undefined) return plain.replace(...named) + force;
  if (NO_TEXT.test(plain) || !loadIconv().encodingExists(plain)) {
    const expected = "utf-8, windows-1252, iso-8859-15, cp850, cp437, utf-16le or another known one";
    throw badOptionValue(option, name, expected);
  }
  return name.trim().toLowerCase() + force;
}
