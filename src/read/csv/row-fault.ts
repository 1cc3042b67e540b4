import type { RowProblem } from "../../model/row.ts";
import type { QuoteFault } from "./scan-row.ts";

/** A row whose quotes cannot be read with certainty; `line` is the one where the quote opens. */
export function describeQuoteFault(
  fault: QuoteFault,
  rowLine: number,
  line: number,
  quote: number,
): RowProblem {
  const mark = String.fromCharCode(quote);
  const inside = rowLine === line ? "" : ` (the row begins at line ${rowLine})`;
  switch (fault) {
    case "odd-quotes":
      return {
        line,
        reason: `two or more cells hold an odd number of ${mark}, so a delimiter between them may be text${inside}`,
        hint: `write such cells in quotes, with every ${mark} inside doubled, or pin --quote none`,
      };
    case "doubled-quotes":
      return {
        line,
        reason: `a cell holds ${mark}${mark} and does not begin with ${mark}, so its quotes may be lost${inside}`,
        hint: `write the cell in quotes, or pin --quote none if ${mark} is text`,
      };
    case "text-after-quote":
      return {
        line,
        reason: `text follows the ${mark} that closes a cell${inside}`,
        hint: `double every ${mark} inside a quoted cell`,
      };
    case "unclosed-quote":
      return {
        line,
        reason: `a ${mark} opens a cell that is never closed${inside}`,
        hint: `close the cell with ${mark}, or pin --quote none if ${mark} is no quote; --max-row-bytes reads longer cells`,
      };
    case "blank-before-quote":
      return {
        line,
        reason: `there is a blank before the ${mark} that begins a cell, so it may be a quote or text${inside}`,
        hint: `delete the blank, or make it part of the delimiter: --delimiter ', '`,
      };
    case "backslash":
      return {
        line,
        reason: `a backslash in a quoted cell is followed by neither ${mark} nor another backslash${inside}`,
        hint: `double the backslash, or pin --escape '${mark}' if it is text`,
      };
  }
}

/** A row that is longer than the limit. */
export function describeTooLong(line: number, maxRowBytes: number): RowProblem {
  return {
    line,
    reason: `the row is longer than ${maxRowBytes.toLocaleString("en")} bytes`,
    hint: "--max-row-bytes raises the limit, if the file is meant to be like this",
  };
}

/** A line that is longer than the part of the file by which it is judged. */
export function describeUnended(line: number, judgedBytes: number): RowProblem {
  return {
    line,
    reason: `the line does not end in the first ${judgedBytes.toLocaleString("en")} bytes, by which a file is judged`,
    hint: "check that the file is a CSV: its header has to end there",
  };
}
