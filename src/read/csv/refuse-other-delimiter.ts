import { showCount } from "../../model/quantities.ts";
import { quoteText } from "../../model/visible-text.ts";
import { inputError } from "../input-error.ts";
import type { ReadOptions } from "../read-options.ts";
import { findWidth } from "./csv-table.ts";
import { contend, holdsAsDelimiter, USUAL_DELIMITERS } from "./csv-delimiter.ts";
import type { CsvSample, SampleRow } from "./csv-sample.ts";
import { showDelimiter } from "./show-delimiter.ts";

/** The share of rows that must hold the other delimiter, and have the full width with it. */
const LEAST_SHARE = 0.9;

/**
 * Throws an input error if the delimiter that was given makes a single column of the file, or of its header, and another
 * one makes a table: every row would be sent as one value, or be no row.
 */
export function refuseOtherDelimiter(
  sample: CsvSample,
  rows: readonly SampleRow[],
  given: string,
  options: ReadOptions,
): void {
  const isOneColumn = findWidth(rows) === 1;
  for (const delimiter of USUAL_DELIMITERS) {
    const held = rows.filter(({ cells: [cell = ""] }) => holdsAsDelimiter(cell, delimiter));
    if (delimiter === given || held.length === 0) continue;
    // Decimal commas, too, are taken for delimiters: then only the header, which has none, is one column.
    if (!isOneColumn && (held[0]!.width > 1 || held.length < LEAST_SHARE * rows.length)) continue;
    const named = contend(sample, delimiter, options).find(({ isCertain }) => isCertain);
    const [table = named] = contend(sample, delimiter, { ...options, header: false });
    if (table === undefined) continue;
    const isTable = table.hasRows && Math.min(table.share, held.length / rows.length) >= LEAST_SHARE;
    if (named === undefined && !isTable) continue;
    throw inputError(
      { file: sample.file, line: held[0]!.line },
      "other-delimiter",
      `the delimiter is said to be ${quoteText(given)}, which makes one column of this line; ${quoteText(delimiter)} makes ${showCount(table.width, "column")}`,
      {
        hint: `--delimiter ${showDelimiter(delimiter)}; if the file has one column, enclose its cells in quotes`,
      },
    );
  }
}
