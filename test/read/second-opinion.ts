import { type Options, parse } from "csv-parse/sync";
import type { Marks } from "../../src/read/csv/scan-row.ts";
import type { SpanRow } from "../../src/read/rows.ts";

/** Compared at a time: a megabyte of cells as text would stay in memory long after they are compared. */
const ROWS_AT_ONCE = 512;

/** The starts of the rows whose cells csv-parse reads differently, in ascending order. `content` contains the rows. */
export function findDisputedRows(content: Buffer, rows: readonly SpanRow[], marks: Marks): readonly number[] {
  const disputed: number[] = [];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE);
    if (isAgreed(content, some, marks)) continue;
    for (const row of some) if (!isAgreed(content, [row], marks)) disputed.push(row.start);
  }
  return disputed;
}

function isAgreed(content: Buffer, rows: readonly SpanRow[], marks: Marks): boolean {
  const text = Buffer.concat(rows.map(({ start, end }) => content.subarray(start, end)));
  const parsed = parseRows(text, marks);
  return parsed?.length === rows.length && rows.every((row, at) => isSame(row, parsed[at]!));
}

function isSame({ spans, firstCell, width }: SpanRow, other: readonly string[]): boolean {
  // Blanks at the end of an unquoted cell are no part of the comparison, because csv-parse leaves them out.
  return (
    other.length === width &&
    other.every((cell, at) => cell.trimEnd() === spans.text(firstCell + at).trimEnd())
  );
}

/** The scan has settled every row border and quote, so csv-parse is run leniently; `undefined` if it still fails. */
function parseRows(rows: Buffer, { delimiter, quote, escape }: Marks): readonly string[][] | undefined {
  const options: Options = {
    delimiter,
    quote: quote === "" ? null : quote,
    escape: quote === "" ? null : escape,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    // Blanks behind a closing quote are no part of the cell.
    rtrim: true,
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
