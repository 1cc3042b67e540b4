import { cellName } from "../../model/cell-name.ts";
import type { Cell, NestedValue, RowProblem } from "../../model/row.ts";
import { showCell } from "../cell-text.ts";
import { quoteWord } from "../../model/shell-word.ts";
import type { Unreadable } from "../value.ts";
import type { ExaminedField } from "./examined-field.ts";

/** Why an object or array cannot be sent. */
export function nestedProblem({ what }: NestedValue, { header }: ExaminedField): Unreadable {
  return {
    reason: `it holds a JSON ${what}, and a record holds plain values only`,
    hint: `${what === "object" ? "--flatten sends its members, " : ""}--drop ${quoteWord(header)} leaves it out`,
  };
}

/** A problem of one cell. */
export function cellProblem(
  line: number,
  { index, header, field }: ExaminedField,
  cell: Cell,
  { reason, hint }: Unreadable,
): RowProblem {
  return {
    line,
    column: index + 1,
    header,
    field,
    value: showCell(cell),
    reason,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Problems of a JSON record: the order in which its members are first met tells a reader nothing. */
export function ofRecord(problems: readonly RowProblem[], record: number | undefined): RowProblem[] {
  return problems.map((problem) => {
    const { column, ...named } = problem;
    const told = column === undefined ? problem : named;
    return record === undefined ? told : { ...told, record };
  });
}

/** Adds the name that the cell at fault has in its sheet. */
export function nameCell(problem: RowProblem): RowProblem {
  const { column, line } = problem;
  return column === undefined ? problem : { ...problem, cell: cellName(column, line) };
}
