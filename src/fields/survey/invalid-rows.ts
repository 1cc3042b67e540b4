import {
  type ProblemGroup,
  ProblemGroups,
  type Row,
  type RowProblem,
  type UnreadableRow,
} from "../../model/rows.ts";

/** If there are more problems than this, the others are counted and not kept. */
export const MAX_KEPT_PROBLEMS = 100;
/** Nor are more than these characters of their values. */
const MOST_KEPT_LENGTH = 4_194_304;

/** The invalid rows of an input under survey. */
export class InvalidRows {
  rows = 0;
  bytes = 0;
  /** The first problems, in the order of their lines. */
  readonly problems: RowProblem[] = [];
  readonly #groups = new ProblemGroups();
  #ofChunk: RowProblem[] = [];
  #keptLength = 0;

  /** Takes a row that cannot be read. */
  addUnreadable(row: UnreadableRow): void {
    this.add(row, [row]);
  }

  /** Takes a row with its problems. */
  add(row: Row | UnreadableRow, problems: readonly RowProblem[]): void {
    this.rows++;
    this.bytes += row.end - row.start;
    for (const problem of problems) this.#groups.add(problem);
    if (this.#ofChunk.length >= MAX_KEPT_PROBLEMS || this.#keptLength > MOST_KEPT_LENGTH) return;
    this.#ofChunk.push(...problems);
    for (const { value = "" } of problems) this.#keptLength += value.length;
  }

  /** Ends a chunk of rows: those that cannot be read were added before the others. */
  endChunk(): void {
    const { problems } = this;
    if (this.#ofChunk.length === 0) return;
    this.#ofChunk.sort((left, right) => left.line - right.line);
    problems.push(...this.#ofChunk.slice(0, MAX_KEPT_PROBLEMS - problems.length));
    this.#ofChunk = [];
  }

  /** All problems; `reword` may reword one. */
  groups(reword: (problem: RowProblem) => RowProblem): readonly ProblemGroup[] {
    return this.#groups.list(reword);
  }

  /** The problems that no answer to a question about columns removes: those of values, and rows that cannot be read. */
  lasting(): readonly ProblemGroup[] {
    return this.#groups.list().filter(({ first }) => first.value !== undefined || "start" in first);
  }
}
