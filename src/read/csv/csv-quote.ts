import type { Marks } from "./csv-grammar.ts";
import { scanSample, type CsvSample, type SampleTable } from "./csv-sample.ts";
import { findOpenQuote, isQuotedInWhole, type OpenQuote } from "./quoted-columns.ts";

/** This many rows are enough to distinguish two ways of quoting. */
const JUDGED_ROWS = 2_000;

/** A way of quoting, and how the sample reads when it is used. */
export interface QuoteStyle {
  readonly marks: Marks;
  readonly table: SampleTable;
  /** A cell between apostrophes that may be quotes or text: nothing else in the sample decides it. */
  readonly openQuote?: OpenQuote;
}

/**
 * Settles quote and escape for one delimiter: `"` doubled unless the content contradicts. A backslash escapes if that
 * alone makes sense of the quotes; `'` quotes if it protects a delimiter, or if {@link isQuotedInWhole} says so.
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
  let best = plain;
  if (pinned.quote === undefined && pinned.escape !== '"' && pinned.escape !== "'") {
    const single = sample.bytes.includes("'") ? judge("'", pinned.escape ?? "'") : undefined;
    const verdict = single === undefined ? "text" : judgeApostrophes(single, plain);
    if (verdict === "quotes") best = single!;
    if (typeof verdict === "object") best = { ...plain, openQuote: verdict };
  }
  if (pinned.escape === undefined && quote !== "" && sample.bytes.includes(`\\${best.marks.quote}`)) {
    const backslash = judge(best.marks.quote, "\\");
    const faults = backslash.table.problems.length;
    if (faults === 0 && faults < best.table.problems.length) best = backslash;
  }
  return best;
}

/** In French the apostrophe is a letter: it is a quote only if nothing speaks against that. */
function judgeApostrophes(single: QuoteStyle, plain: QuoteStyle): "quotes" | "text" | OpenQuote {
  const { rows, problems } = single.table;
  if (
    problems.length > 0 ||
    plain.table.rows.some(({ cells }) => cells.some((cell) => cell.startsWith('"')))
  ) {
    return "text";
  }
  const protects = rows.some(({ cells }) =>
    cells.some(
      (cell) => cell.startsWith("'") && /[\r\n]/.test(cell.replaceAll(single.marks.delimiter, "\n")),
    ),
  );
  if (protects || isQuotedInWhole(rows)) return "quotes";
  return findOpenQuote(rows) ?? "text";
}
