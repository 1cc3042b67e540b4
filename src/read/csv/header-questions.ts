import type { RecPushError } from "../../model/failure.ts";
import { showCount } from "../../model/quantities.ts";
import { quoteText } from "../../model/visible-text.ts";
import { inputError } from "../input-error.ts";
import { countTitles, type HeaderSearch } from "./csv-header.ts";
import type { SampleRow } from "./csv-sample.ts";
import { findWidth } from "./csv-table.ts";
import { countFilled, isNumericLike } from "./csv-words.ts";

/** Throws an input error if there are titles above rows without a header: they would be sent as records. */
export function refuseTitles(rows: readonly SampleRow[], file: string): void {
  const titles = countTitles(rows, findWidth(rows));
  if (titles === 0) return;
  const [{ line }] = rows as readonly [SampleRow];
  const last = rows[titles]!.line - 1;
  throw inputError(
    { file, line },
    "title-above-rows",
    titles === 1
      ? "this line looks like a title above the rows, which have no header"
      : `${titles} lines from this one on look like titles above the rows, which have no header`,
    {
      hint: `--skip-lines ${last} leaves ${titles === 1 ? "it" : "them"} out, --skip-lines 0 reads every line as a row`,
    },
  );
}

/** The error if no line is the header of these rows. */
export function noHeader(
  { row, why, later }: HeaderSearch & { readonly kind: "none" },
  rows: readonly SampleRow[],
  file: string,
): RecPushError {
  const above = row === undefined ? 0 : rows.indexOf(row);
  const skip = above > 0 ? ` --skip-lines ${row!.line - 1}` : "";
  const next = later === undefined ? "" : `--header-line ${later.line} if that line is the header, or `;
  if (why === "form" && row !== undefined && isOnlyTwice(row, findWidth(rows))) {
    const hint = `${next}--header-line ${row.line} if this line is the header: columns of one name are then told apart by position; or --no-header${skip} if the file has none`;
    return inputError({ file, line: row.line }, "no-header", reasonOf(why, row, rows), { hint });
  }
  const hint = `${next}--no-header${skip} if the file has none, or ${row === undefined ? "--header-line N if line N is the header" : `--header-line ${row.line} if this line is the header`}`;
  if (row === undefined) return inputError({ file }, "no-header", "no line looks like a header", { hint });
  return inputError({ file, line: row.line }, "no-header", reasonOf(why, row, rows), { hint });
}

/** The error for a row above the header, which would be lost. */
export function dataAbove(
  { row, index }: HeaderSearch & { readonly kind: "dataAbove" },
  rows: readonly SampleRow[],
  file: string,
): RecPushError {
  const line = rows[index]?.line;
  return inputError(
    { file, line: row.line },
    "data-above-header",
    `this line is not a title, and is above the header in line ${line}: it would be lost`,
    {
      hint: `move the header to the top, or split the file; --header-line ${line} leaves out all lines above it`,
    },
  );
}

function reasonOf(
  why: (HeaderSearch & { readonly kind: "none" })["why"],
  row: SampleRow,
  rows: readonly SampleRow[],
): string {
  switch (why) {
    case "form":
      return `no line looks like a header: ${whyNoHeader(row, findWidth(rows))}`;
    case "named":
      return "this line names columns, and other columns of the table have no name";
    case "only":
      return "no row that can be read is below this line and would prove it to be a header: it may be a row, or a message";
    case "alike":
      return "this line may be the header or a row: it names no column that is declared, and the rows below look like it";
  }
}

/** True for a line that would be a header if its names differed. */
function isOnlyTwice({ cells }: SampleRow, width: number): boolean {
  return (
    cells.length >= width && !cells.some((cell) => isNumericLike(cell)) && findTwice(cells) !== undefined
  );
}

function whyNoHeader({ cells }: SampleRow, width: number): string {
  if (cells.length < width) return `this one has ${showCount(cells.length, "cell")}, most rows have ${width}`;
  const numeric = cells.find((cell) => isNumericLike(cell));
  if (numeric !== undefined) return `this one holds ${quoteText(numeric, 40)}`;
  const twice = findTwice(cells);
  return twice === undefined
    ? `this one fills ${countFilled(cells)} of ${width} cells`
    : `this one holds ${quoteText(twice, 40)} twice`;
}

function findTwice(cells: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const cell of cells) {
    if (cell.trim() !== "" && seen.has(cell)) return cell;
    seen.add(cell);
  }
  return undefined;
}
