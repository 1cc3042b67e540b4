import type { RowProblem } from "./row.ts";

/** Rows with one problem: the same reason in the same column. */
export interface ProblemGroup {
  readonly first: RowProblem;
  readonly rows: number;
  /** The first lines, in order. */
  readonly lines: readonly number[];
  /** The first values that differ. */
  readonly values: readonly string[];
}

const MOST_GROUPS = 500;
const MOST_LINES = 4;
const MOST_VALUES = 3;

/** Gathers problems that are alike, in bounded memory. */
export class ProblemGroups {
  readonly #groups = new Map<
    string,
    { first: RowProblem; rows: number; lines: number[]; values: string[] }
  >();
  /** Problems of groups beyond the bound. */
  others = 0;

  add(problem: RowProblem): void {
    const { column, field, reason, hint, line, value } = problem;
    const name = `${column} ${field} ${reason} ${hint}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.others++;
        return;
      }
      group = { first: problem, rows: 0, lines: [], values: [] };
      this.#groups.set(name, group);
    }
    group.rows++;
    if (group.lines.length < MOST_LINES) group.lines.push(line);
    if (value !== undefined && group.values.length < MOST_VALUES && !group.values.includes(value))
      group.values.push(value);
  }

  /** In the order in which they began; `reword` gives the first problem of each other words. */
  list(reword: (problem: RowProblem) => RowProblem = (problem) => problem): readonly ProblemGroup[] {
    return Array.from(this.#groups.values(), ({ first, rows, lines, values }) => ({
      first: reword(first),
      rows,
      lines,
      values,
    }));
  }
}
