import type { ProblemGroup } from "../../model/problem-groups.ts";
import { sharesLine, type RowProblem } from "../../model/row.ts";
import { keepText } from "./keep-text.ts";
import type { RejectGroup } from "./run-report.ts";

const MOST_GROUPS = 300;
const MOST_LINES = 20;
const MOST_VALUES = 5;
const MOST_VALUE_CHARACTERS = 200;

/** Groups the problems of all files by reason, in bounded memory. */
export class RejectGroups {
  readonly #groups = new Map<
    string,
    RejectGroup & { rows: number; lines: number[]; records?: number[]; values: string[] }
  >();
  /** Number of problems with reasons beyond the limit. */
  others = 0;

  add(file: string, problem: RowProblem): void {
    const { line, record, value } = problem;
    const records = sharesLine(problem) ? { records: [record!] } : {};
    this.#add(file, problem, {
      rows: 1,
      lines: [line],
      ...records,
      values: value === undefined ? [] : [value],
    });
  }

  addGroup(file: string, { first, ...many }: ProblemGroup): void {
    this.#add(file, first, many);
  }

  /** The groups with the most rows first. */
  list(): readonly RejectGroup[] {
    return [...this.#groups.values()].toSorted((one, other) => other.rows - one.rows);
  }

  #add(file: string, problem: RowProblem, many: Omit<ProblemGroup, "first">): void {
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
    const room = MOST_LINES - group.lines.length;
    const { lines, records } = many;
    if (records !== undefined || group.records !== undefined)
      (group.records ??= [...group.lines]).push(...(records ?? lines).slice(0, room));
    group.lines.push(...lines.slice(0, room));
    for (const value of many.values) {
      const kept = keepText(value, MOST_VALUE_CHARACTERS);
      if (group.values.length < MOST_VALUES && !group.values.includes(kept)) group.values.push(kept);
    }
  }
}
