import { parse } from "csv-parse/sync";
import type { Options } from "csv-parse/sync";
import type { Dialect } from "../../model/reading.ts";

/** Parses whole rows whose quotes are verified into the text of their cells. */
export type ParseCells = (rows: Buffer) => string[][];

/** The splitter has settled every row border and quote, so csv-parse is told to accept what it sees. */
export function createCellParser(dialect: Pick<Dialect, "delimiter" | "quote" | "escape">): ParseCells {
  const options: Options = {
    delimiter: dialect.delimiter,
    quote: dialect.quote === "" ? null : dialect.quote,
    escape: dialect.quote === "" ? null : dialect.escape,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
  };
  return (rows) => (rows.length === 0 ? [] : parseQuietly(rows, options));
}

/** csv-parse makes an error of every row of another width, which it then drops: without a stack that costs little. */
function parseQuietly(rows: Buffer, options: Options): string[][] {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return parse(rows, options);
  } finally {
    Error.stackTraceLimit = limit;
  }
}
