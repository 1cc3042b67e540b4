import { parse } from "csv-parse/sync";
import type { Options } from "csv-parse/sync";
import type { Dialect } from "../model/reading.ts";
import { splitCells } from "./split-cells.ts";

/** Parses whole rows whose quotes are verified into the text of their cells. */
export type ParseCells = (rows: Buffer) => string[][];

/**
 * What nearly every row is, is split by hand, many times as fast; csv-parse reads the rest. The splitter has settled
 * every row border and quote, so csv-parse is told to accept what it sees.
 */
export function createCellParser(dialect: Pick<Dialect, "delimiter" | "quote" | "escape">): ParseCells {
  const { delimiter, quote, escape } = dialect;
  const options: Options = {
    delimiter,
    quote: quote === "" ? null : quote,
    escape: quote === "" ? null : escape,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
  };
  const quoteByte = quote.charCodeAt(0);
  return (rows) => {
    if (rows.length === 0) return [];
    const isSimple =
      delimiter.length === 1 && (quote === "" || escape === quote || !rows.includes(quoteByte));
    return (
      (isSimple ? splitCells(rows.toString(), delimiter, quote) : undefined) ?? parseQuietly(rows, options)
    );
  };
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
