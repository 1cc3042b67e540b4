import type { ProblemGroup } from "../model/problem-groups.ts";
import { sharesLine, type RowProblem } from "../model/row.ts";
import { showText } from "../model/visible-text.ts";
import { namePlaces } from "./list-places.ts";
import { showInteger } from "../model/quantities.ts";

/**
 * A problem and those like it in one line: `orders.csv:412: column 3 "Date" (date_billed) holds "31/02/2024": ...`, or
 * for several `orders.csv: 1,204 x column 3 "Date" (date_billed) holds "31/02/2024", "31/04/2024" ...: ..., lines 2, 5,
 * 9 ...`. A cell of a workbook has its name: `orders.xlsx:C412:`, `cells C2, C5, C9 ...`; JSON says `member "Date"`, and
 * `record 57` where its line does not tell which record it is.
 */
export function describeProblems(file: string, group: ProblemGroup): string {
  const { first, rows, lines, values } = group;
  const { reason, hint } = first;
  const where = describeCell(first, rows === 1 ? values.slice(0, 1) : values);
  const record = rows === 1 && sharesLine(first) ? ` record ${first.record}${where === "" ? ":" : ","}` : "";
  const lead = where === "" ? "" : `${where}:`;
  const what = `${lead} ${showText(reason, 400)}`;
  const advice = hint === undefined ? "" : ` (${hint})`;
  if (rows === 1) return `${showText(file)}:${first.cell ?? first.line}:${record}${what}${advice}`;
  const more = rows > lines.length ? " ..." : "";
  const { noun, names } = namePlaces(first.cell === undefined ? undefined : first.column, group);
  const list = names.slice(0, rows > lines.length ? -1 : undefined).join(", ");
  return `${showText(file)}: ${showInteger(rows)} x${what}, ${noun} ${list}${more}${advice}`;
}

function describeCell({ column, header, field, value }: RowProblem, values: readonly string[]): string {
  const noun = header === undefined ? "" : " member";
  const place = column === undefined ? noun : ` column ${column}`;
  const name = header === undefined || header === "" ? "" : ` "${showText(header, 60)}"`;
  const target = field === undefined || field === header ? "" : ` (${field})`;
  const list = values.map((text) => `"${showText(text, 80)}"`).join(", ");
  return `${place}${name}${target}${value === undefined ? "" : ` holds ${list}`}`;
}

/** A problem without its place, which is printed elsewhere. */
export function describeProblemAt(problem: RowProblem): string {
  const { cell, record, value, reason, hint } = problem;
  const named = sharesLine(problem) ? `record ${record}` : cell;
  const name = named === undefined ? "" : `${named}, `;
  const where = name + describeCell(problem, value === undefined ? [] : [value]).trim();
  const hinted = hint === undefined ? "" : ` (${hint})`;
  return `${where === "" ? "" : `${where}: `}${showText(reason, 400)}${hinted}`;
}
