import type { RowProblem } from "../model/row.ts";
import { showText } from "../model/visible-text.ts";

/** `orders.csv:412: column 3 "Date" (date_billed) holds "31/02/2024": February has no day 31; ...` */
export function describeProblem(file: string, problem: RowProblem): string {
  const { line, column, header, field, value, reason, hint } = problem;
  const place = column === undefined ? "" : ` column ${column}`;
  const name = header === undefined || header === "" ? "" : ` "${showText(header, 60)}"`;
  const target = field === undefined || field === header ? "" : ` (${field})`;
  const shown = value === undefined ? "" : ` holds "${showText(value, 80)}"`;
  const where = `${place}${name}${target}${shown}`;
  const lead = where === "" ? "" : `${where}:`;
  return `${showText(file)}:${line}:${lead} ${showText(reason, 400)}${hint === undefined ? "" : ` (${hint})`}`;
}
