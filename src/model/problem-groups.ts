import type { RowProblem } from "./row.ts";

/** A line of a file around one of its cells, as the file writes it; of long ones the part that is near the cell. */
export interface MarkedCell {
  readonly before: string;
  readonly cell: string;
  readonly after: string;
}

/** Rows with one problem: the same reason in the same column. */
export interface ProblemGroup {
  readonly first: RowProblem;
  readonly rows: number;
  /** The first lines, in order. */
  readonly lines: readonly number[];
  /** The first values that differ. */
  readonly values: readonly string[];
  /** The line of the first one, where it was at hand. */
  readonly marked?: MarkedCell | undefined;
}

const MOST_GROUPS = 500;
const MOST_LINES = 4;
const MOST_VALUES = 3;

/** Gathers problems that are alike, in bounded memory. */
export class ProblemGroups {
  readonly #groups = new Map<
    string,
    {
      first: RowProblem;
      rows: number;
      lines: number[];
      values: string[];
      marked: MarkedCell | undefined;
    }
  >();
  /** Problems of groups beyond the bound. */
  others = 0;

  /** `mark` is called for the first problem of a group only. */
  add(problem: RowProblem, mark?: (problem: RowProblem) => MarkedCell | undefined): void {
    const { column, field, reason, hint, line, value } = problem;
    const name = `${column} ${field} ${reason} ${hint}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.others++;
        return;
      }
      group = { first: problem, rows: 0, lines: [], values: [], marked: mark?.(problem) };
      this.#groups.set(name, group);
    }
    group.rows++;
    if (group.lines.length < MOST_LINES) group.lines.push(line);
    if (value !== undefined && group.values.length < MOST_VALUES && !group.values.includes(value))
      group.values.push(value);
  }

  /** In the order in which they began; `reword` gives the first problem of each other words. */
  list(reword: (problem: RowProblem) => RowProblem = (problem) => problem): readonly ProblemGroup[] {
    return Array.from(this.#groups.values(), ({ first, ...group }) => ({ ...group, first: reword(first) }));
  }
}
