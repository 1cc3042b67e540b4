import {
  parseComment,
  parseDelimiter,
  parseEncoding,
  parseEscape,
  parseFormat,
  parseQuote,
} from "../read/parse-read-option.ts";
import { checkReadOptions, type ReadOptions } from "../read/read-options.ts";
import type { RawOptions } from "./program.ts";
import { given, isSet, parsed, textOf } from "./raw-options.ts";
import { parseBytes, parseCount } from "./values.ts";

/** The options of section "Reading". Throws usage. */
export function readReadOptions(options: RawOptions): ReadOptions {
  const countOrNone = (option: string, value: string): number => parseCount(option, value, 0);
  const read = given({
    format: parsed(options, "format", (_, value) => parseFormat(value)),
    jsonPath: textOf(options, "jsonPath"),
    encoding: parsed(options, "encoding", (_, value) => parseEncoding(value)),
    delimiter: parsed(options, "delimiter", (_, value) => parseDelimiter(value)),
    quote: parsed(options, "quote", (_, value) => parseQuote(value)),
    escape: parsed(options, "escape", (_, value) => parseEscape(value)),
    comment: parsed(options, "comment", (_, value) => parseComment(value)),
    headerLine: parsed(options, "headerLine", parseCount),
    header: options["header"] === false ? false : undefined,
    skipLines: parsed(options, "skipLines", countOrNone),
    skipFooter: parsed(options, "skipFooter", countOrNone),
    oneTable: isSet(options, "oneTable") || undefined,
    maxRowBytes: parsed(options, "maxRowBytes", parseBytes),
  });
  checkReadOptions(read);
  return read;
}
