import type { Marks } from "./csv-grammar.ts";
import { scanSample, type CsvSample, type SampleTable } from "./csv-sample.ts";

/** Rows that are enough to tell one way of quoting from another. */
const JUDGED_ROWS = 2_000;

/** A way of quoting, and how the sample reads with it. */
export interface QuoteStyle {
  readonly marks: Marks;
  readonly table: SampleTable;
}

/**
 * Settles quote and escape for one delimiter: `"` doubled unless the content contradicts. A backslash escapes where that
 * alone makes sense of the quotes; `'` quotes where whole columns stand in it, or where it protects a delimiter.
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
    if (single !== undefined && isQuotedThroughout(single, plain)) best = single;
  }
  if (pinned.escape === undefined && quote !== "" && sample.bytes.includes(`\\${best.marks.quote}`)) {
    const backslash = judge(best.marks.quote, "\\");
    const faults = backslash.table.problems.length;
    if (faults === 0 && faults < best.table.problems.length) best = backslash;
  }
  return best;
}

/** The apostrophe is a letter in French: it quotes only where nothing speaks against it. */
function isQuotedThroughout(single: QuoteStyle, plain: QuoteStyle): boolean {
  const { rows, problems } = single.table;
  if (
    problems.length > 0 ||
    plain.table.rows.some(({ cells }) => cells.some((cell) => cell.startsWith('"')))
  ) {
    return false;
  }
  const quoted = rows.filter(({ cells }) => cells.some((cell) => cell.startsWith("'")));
  const protects = quoted.some(({ cells }) =>
    cells.some(
      (cell) => cell.startsWith("'") && /[\r\n]/.test(cell.replaceAll(single.marks.delimiter, "\n")),
    ),
  );
  return quoted.length > 0 && (protects || quoted.length >= rows.length * 0.8);
}
