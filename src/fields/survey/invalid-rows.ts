import {
  type MarkedCell,
  type ProblemGroup,
  ProblemGroups,
  QUOTED,
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
  readonly #areLines: boolean;
  #ofChunk: RowProblem[] = [];
  #keptLength = 0;

  /** `areLines`: each row is a line of cells, which can be shown with one of them marked. */
  constructor(areLines: boolean) {
    this.#areLines = areLines;
  }

  /** Takes a row that cannot be read. */
  addUnreadable(row: UnreadableRow): void {
    this.add(row, [row]);
  }

  /** Takes a row with its problems. */
  add(row: Row | UnreadableRow, problems: readonly RowProblem[]): void {
    this.rows++;
    this.bytes += row.end - row.start;
    const mark = ({ column }: RowProblem): MarkedCell | undefined =>
      column === undefined || !this.#areLines || !("cells" in row) ? undefined : markCell(row, column);
    for (const problem of problems) this.#groups.add(problem, mark);
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

/** More bytes than any terminal shows of a line. */
const MOST_BYTES = 600;

/**
 * The line of a CSV row around a cell, as the file writes it; `undefined` if the text is not available. `column` counts
 * from 1.
 */
function markCell(row: Row, column: number): MarkedCell | undefined {
  const { spans, firstCell = 0, width = 0 } = row;
  if (spans === undefined || column > width) return undefined;
  const { bytes, starts, ends, marks } = spans;
  const quoteOf = (cell: number): number => marks[cell]! & QUOTED;
  const last = firstCell + width - 1;
  const cell = firstCell + column - 1;
  const [start, end] = [starts[cell]!, ends[cell]!];
  // Decoded again, because a slice of a longer text would keep all of that in memory.
  return {
    before: lastOf(bytes, starts[firstCell]! - quoteOf(firstCell), start),
    cell: firstOf(bytes, start, end),
    after: firstOf(bytes, end, ends[last]! + quoteOf(last)),
  };
}

function firstOf(bytes: Buffer, start: number, end: number): string {
  if (end - start <= MOST_BYTES) return bytes.toString("utf8", start, end);
  return `${bytes.toString("utf8", start, characterAt(bytes, start + MOST_BYTES))}…`;
}

function lastOf(bytes: Buffer, start: number, end: number): string {
  if (end - start <= MOST_BYTES) return bytes.toString("utf8", start, end);
  return `…${bytes.toString("utf8", characterAt(bytes, end - MOST_BYTES), end)}`;
}

/** The first position from `at` on that is not inside a character. */
function characterAt(bytes: Buffer, at: number): number {
  let place = at;
  while ((bytes[place]! & 0xc0) === 0x80) place++;
  return place;
}
