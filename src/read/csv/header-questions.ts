import { showCount } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import { quoteText } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import { findTwice, type HeaderSearch, isValue } from "./csv-header.ts";
import { type SampleRow, usualWidth } from "./csv-sample.ts";

type Question = HeaderSearch & { readonly kind: "ask" };

/** The error that asks where the header is. */
export function askForHeader(question: Question, rows: readonly SampleRow[], file: string): RecPushError {
  const { row, why, header = row } = question;
  const isAbove = why === "above" || why === "titles";
  const [what, hint] = tellQuestion(question, header, rows);
  const code = isAbove ? "data-above-header" : "no-header";
  return inputError({ file, line: row.line }, code, what, { hint });
}

function tellQuestion(
  { row, why, cell = "" }: Question,
  header: SampleRow,
  rows: readonly SampleRow[],
): readonly [what: string, hint: string] {
  const take = `--header-line ${header.line}`;
  const none = `--no-header${header.line > (rows[0]?.line ?? 1) ? ` --skip-lines ${header.line - 1}` : ""}`;
  switch (why) {
    case "none": {
      const order = row.cells.some(isValue)
        ? `${none} if the file has none, or ${take} if this line is the header`
        : `${take} if this line is the header, or ${none} if the file has none`;
      return [`no line looks like a header: ${whyNot(row, rows)}`, `${oneColumn(rows)}${order}`];
    }
    case "twice":
      return [
        `no line looks like a header: this one holds ${quoteText(findTwice(row) ?? "", 40)} twice`,
        `${take} if this line is the header: columns of one name are then told apart by position; or ${none} if the file has none`,
      ];
    case "above": {
      const isTitle = 2 * row.filled <= header.filled;
      return [
        `this line is not a title, and is above the header in line ${header.line}: it would be lost`,
        isTitle
          ? `${take} leaves out all lines above it; if they are rows, move the header to the top or split the file`
          : `move the header to the top if this line is a row, or split the file; ${take} leaves out all lines above it`,
      ];
    }
    case "titles":
      return [
        `more lines than a table has titles are above the header in line ${header.line}: they would be lost`,
        `${take} leaves out all lines above it; if they are another table, split the file`,
      ];
    case "only":
      return [
        "no row that can be read is below this line and would prove it to be a header: it may be a row, or a message",
        `${take} if this line names the columns, ${none} if it is a row`,
      ];
    case "row":
      return [
        `this line may be the header or a row: ${quoteText(cell, 40)} is like the cells below it`,
        `${none} if it is a row, or ${take} if it is the header`,
      ];
    case "words":
      return [
        "this line may be the header or a row: it names no two columns that are declared, and no column below it holds numbers, dates or codes",
        `${take} if it names the columns, or ${none} if it is a row`,
      ];
    case "second":
      return [
        `this line holds words where the rows below hold numbers, and so does line ${header.line}: both may name the columns`,
        `--header-line ${row.line} takes the names of this line, ${take} those of line ${header.line}`,
      ];
  }
}

function whyNot(row: SampleRow, rows: readonly SampleRow[]): string {
  const width = usualWidth(rows.map(({ cells }) => cells.length));
  const { cells, filled } = row;
  if (cells.length !== width)
    return `this one has ${showCount(cells.length, "cell")}, most rows have ${width}`;
  const value = cells.find(isValue);
  return value === undefined
    ? `this one fills ${filled} of ${width} cells`
    : `this one holds ${quoteText(value, 40)}`;
}

/** Below a name alone, `68,527.00` is hardly two cells. */
function oneColumn(rows: readonly SampleRow[]): string {
  const [first, ...others] = rows.filter(({ filled }) => filled > 0);
  const areNumbers = others.every(({ cells }) => cells.every((cell) => /^\W*\d[\d.]*\W*$/.test(cell)));
  if (first?.cells.length !== 1 || others.length === 0 || !areNumbers) return "";
  return `--delimiter none --header-line ${first.line} if the file has one column; `;
}
