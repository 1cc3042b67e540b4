import { quoteText } from "../../model/visible-text.ts";
import type { Notice } from "../../model/reading.ts";
import { RowScanner } from "../csv/row-scanner.ts";
import { findMergedHeader, HEADER_ROWS, type HeadCell, type MergedHeader } from "./merged-header.ts";
import type { MergedRange } from "./merged-cells.ts";
import type { SheetWanted } from "../source/source.ts";

/** How the rows of a sheet are written. */
const LINES = { delimiter: ",", quote: '"', escape: '"', comment: "", isSheet: true } as const;

/** The header of merged cells among the first lines that were written of a sheet, if the options leave it to be one. */
export function findHeader(
  lines: Buffer,
  ranges: readonly MergedRange[],
  { headerLine, hasHeader, skipLines = 0, maxRowBytes }: SheetWanted,
): MergedHeader | undefined {
  if (hasHeader === false || !ranges.some(({ top }) => top <= HEADER_ROWS)) return undefined;
  const rows: HeadCell[][] = [];
  for (const row of new RowScanner(LINES, { maxRowBytes, maxRows: HEADER_ROWS }).push(lines).rows) {
    if (row.line > HEADER_ROWS) break;
    while (rows.length < row.line - 1) rows.push([]);
    rows[row.line - 1] = Array.from({ length: row.width }, (_, at) =>
      headCell(row.spans.value(row.firstCell + at)),
    );
  }
  const found = findMergedHeader(rows, ranges);
  if (found === undefined || found.top <= skipLines) return undefined;
  return headerLine === undefined || headerLine === found.bottom ? found : undefined;
}

function headCell(cell: unknown): HeadCell {
  if (typeof cell !== "string") return null;
  return cell.trim() === "" ? undefined : cell;
}

/** What a person should know of such a header. */
export function noteHeader({ top, bottom, leftOut }: MergedHeader): Notice {
  const left =
    leftOut.length === 0
      ? ""
      : `; left out above it: ${leftOut.map((text) => quoteText(text, 40)).join(", ")}`;
  return { line: top, text: `the header is merged over rows ${top} to ${bottom}${left}` };
}
