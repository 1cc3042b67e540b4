import type { ProblemGroup } from "../../model/problem-groups.ts";
import type { RowProblem } from "../../model/row.ts";
import { keepText } from "./keep-text.ts";
import type { RejectGroup } from "./run-report.ts";

const MOST_GROUPS = 300;
const MOST_LINES = 20;
const MOST_VALUES = 5;
const MOST_VALUE_CHARACTERS = 200;

/** Groups the problems of all files by reason, in bounded memory. */
export class RejectGroups {
  readonly #groups = new Map<string, RejectGroup & { rows: number; lines: number[]; values: string[] }>();
  /** Number of problems with reasons beyond the limit. */
  others = 0;

  add(file: string, problem: RowProblem): void {
    const { line, value } = problem;
    this.#add(file, problem, { rows: 1, lines: [line], values: value === undefined ? [] : [value] });
  }

  addGroup(file: string, { first, ...many }: ProblemGroup): void {
    this.#add(file, first, many);
  }

  /** The groups with the most rows first. */
  list(): readonly RejectGroup[] {
    return [...this.#groups.values()].toSorted((one, other) => other.rows - one.rows);
  }

  #add(file: string, problem: RowProblem, many: Pick<ProblemGroup, "rows" | "lines" | "values">): void {
    const { column, cell, header, field, reason, hint } = problem;
    const name = JSON.stringify([file, column, field, reason, hint]);
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.others += many.rows;
        return;
      }
      const kept = {
        header: header && keepText(header),
        reason: keepText(reason),
        hint: hint && keepText(hint),
      };
      group = { file, column, isSheet: cell !== undefined, field, ...kept, rows: 0, lines: [], values: [] };
      this.#groups.set(name, group);
    }
    group.rows += many.rows;
    group.lines.push(...many.lines.slice(0, MOST_LINES - group.lines.length));
    for (const value of many.values) {
      const kept = keepText(value, MOST_VALUE_CHARACTERS);
      if (group.values.length < MOST_VALUES && !group.values.includes(kept)) group.values.push(kept);
    }
  }
}
