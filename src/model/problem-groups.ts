import { sharesLine, type RowProblem } from "./row.ts";

/** A line of a file with one of its cells marked, as the file writes it; of a long line, the part near the cell. */
export interface MarkedCell {
  readonly before: string;
  readonly cell: string;
  readonly after: string;
}

/** Rows with the same problem: the same reason in the same column. */
export interface ProblemGroup {
  readonly first: RowProblem;
  readonly rows: number;
  /** The first lines, in order. */
  readonly lines: readonly number[];
  /** The first records, in order, if their lines do not tell which they are. */
  readonly records?: readonly number[];
  /** The first different values. */
  readonly values: readonly string[];
  /** The line of the first one, if it was available. */
  readonly marked?: MarkedCell | undefined;
}

const MOST_GROUPS = 500;
const MOST_LINES = 4;
const MOST_VALUES = 3;

/** Groups problems that are alike, in bounded memory. */
export class ProblemGroups {
  readonly #groups = new Map<
    string,
    {
      first: RowProblem;
      rows: number;
      lines: number[];
      records: number[];
      values: string[];
      marked: MarkedCell | undefined;
    }
  >();
  /** Number of problems in groups beyond the limit. */
  others = 0;

  /** `mark` is only called for the first problem of a group. */
  add(problem: RowProblem, mark?: (problem: RowProblem) => MarkedCell | undefined): void {
    const { column, header, field, reason, hint, line, record = line, value } = problem;
    const name = `${column} ${header} ${field} ${reason} ${hint}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.others++;
        return;
      }
      group = { first: problem, rows: 0, lines: [], records: [], values: [], marked: mark?.(problem) };
      this.#groups.set(name, group);
    }
    group.rows++;
    if (group.lines.length < MOST_LINES) {
      group.lines.push(line);
      group.records.push(record);
    }
    if (value !== undefined && group.values.length < MOST_VALUES && !group.values.includes(value))
      group.values.push(value);
  }

  /** The groups in the order in which they first occurred; `reword` may reword the first problem of each. */
  list(reword: (problem: RowProblem) => RowProblem = (problem) => problem): readonly ProblemGroup[] {
    return Array.from(this.#groups.values(), ({ first, records, ...group }) => ({
      ...group,
      ...(records.some((record, at) => sharesLine({ line: group.lines[at]!, record })) ? { records } : {}),
      first: reword(first),
    }));
  }
}
