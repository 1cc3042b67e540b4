import type { Marks } from "./csv-grammar.ts";
import { scanSample, type CsvSample, type SampleTable } from "./csv-sample.ts";
import { findOpenQuote, type OpenQuote } from "./quoted-columns.ts";

/** This many rows are enough to distinguish two ways of quoting. */
const JUDGED_ROWS = 2_000;

/** A way of quoting, and how the sample reads when it is used. */
export interface QuoteStyle {
  readonly marks: Marks;
  readonly table: SampleTable;
  /** A cell between apostrophes, which may be quotes or text. */
  readonly openQuote?: OpenQuote;
}

/**
 * Settles quote and escape for one delimiter: `"` doubled unless an option says otherwise. A backslash escapes if that
 * alone makes sense of the quotes. In French the apostrophe is a letter, so that only an option makes it a quote.
 */
export function settleQuoteStyle(
  sample: CsvSample,
  delimiter: string,
  pinned: { readonly quote?: Marks["quote"] | undefined; readonly escape?: Marks["escape"] | undefined },
): QuoteStyle {
  const judge = (quote: Marks["quote"], escape: Marks["escape"]): QuoteStyle => {
    const marks: Marks = { delimiter, quote, escape: quote === "" ? "" : escape };
    return { marks, table: scanSample(sample, marks, JUDGED_ROWS) };
  };
  const quote = pinned.quote ?? (pinned.escape === "'" ? "'" : '"');
  const plain = judge(quote, pinned.escape ?? quote);
  if (pinned.escape === undefined && quote !== "" && sample.bytes.includes(`\\${quote}`)) {
    const backslash = judge(quote, "\\");
    const faults = backslash.table.problems.length;
    if (faults === 0 && faults < plain.table.problems.length) return backslash;
  }
  if (pinned.quote !== undefined || quote === "'" || !sample.bytes.includes("'")) return plain;
  const { rows } = plain.table;
  if (rows.some(({ cells }) => cells.some((cell) => cell.startsWith('"')))) return plain;
  const openQuote = findOpenQuote(rows);
  return openQuote === undefined ? plain : { ...plain, openQuote };
}
