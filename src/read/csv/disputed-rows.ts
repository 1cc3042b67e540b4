import { parse } from "csv-parse/sync";
import type { Options } from "csv-parse/sync";
import type { Marks } from "./csv-grammar.ts";
import type { CsvRow } from "./csv-row.ts";

/** The starts of the rows whose cells csv-parse reads differently, in ascending order. `content` contains the rows. */
export function findDisputedRows(content: Buffer, rows: readonly CsvRow[], marks: Marks): readonly number[] {
  const textOf = ({ start, end }: CsvRow): Buffer => content.subarray(start, end);
  const parsed = parseRows(Buffer.concat(rows.map(textOf)), marks);
  const isAgreed = parsed?.length === rows.length && rows.every((row, at) => isSame(row, parsed[at]));
  if (isAgreed) return [];
  return rows.flatMap((row) => {
    const alone = parseRows(textOf(row), marks);
    return alone?.length === 1 && isSame(row, alone[0]) ? [] : [row.start];
  });
}

function isSame({ cells }: CsvRow, other: readonly string[] | undefined): boolean {
  return other?.length === cells.length && cells.every((cell, at) => cell === other[at]);
}

/** The scan has settled every row border and quote, so csv-parse is run leniently; `undefined` if it still fails. */
function parseRows(rows: Buffer, { delimiter, quote, escape }: Marks): readonly string[][] | undefined {
  const options: Options = {
    delimiter,
    quote: quote === "" ? null : quote,
    escape: quote === "" ? null : escape,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
  };
  const limit = Error.stackTraceLimit;
  // csv-parse creates an error for every row of another width and then drops it; without a stack trace that is cheap.
  Error.stackTraceLimit = 0;
  try {
    return rows.length === 0 ? [] : parse(rows, options);
  } catch {
    return undefined;
  } finally {
    Error.stackTraceLimit = limit;
  }
}
