import type { Row, RowChunk, RowProblem } from "../model/row.ts";

/** A row of one cell in a wider table: it may be the rest of a neighbour's first or last cell. */
interface Fragment extends RowProblem {
  /** The physical line behind it. */
  readonly nextLine: number;
}

/** Marks the problem of a row of one cell, so that {@link withholdTornRows} looks at the lines that touch it. */
export function asFragment(problem: RowProblem, cell: string): RowProblem {
  const fragment: Fragment = { ...problem, nextLine: problem.line + 1 + countLineEnds(cell) };
  return fragment;
}

/**
 * Makes problems of the rows that a line end without quotes may have torn in two: those whose line touches a row of
 * one cell. Stays one row behind, because the next chunk may begin with the rest of it.
 */
export async function* withholdTornRows(chunks: AsyncIterable<RowChunk>): AsyncGenerator<RowChunk> {
  let held: RowChunk | undefined;
  let last: Fragment | undefined;
  for await (const chunk of chunks) {
    const rows = held === undefined ? [...chunk.rows] : [...held.rows, ...chunk.rows];
    const fragments = chunk.problems.filter(isFragment);
    const touching = last === undefined ? fragments : [last, ...fragments];
    last = fragments.at(-1) ?? last;
    const judged = touching.length === 0 ? { ...chunk, rows } : withholdTouching(chunk, rows, touching);
    const keptBack = judged.rows.at(-1);
    held = keptBack === undefined ? undefined : { ...chunk, rows: [keptBack], problems: [] };
    if (judged.rows.length > 1 || judged.problems.length > 0) {
      yield { ...judged, rows: judged.rows.slice(0, -1) };
    }
  }
  if (held !== undefined) yield held;
}

function withholdTouching(
  { columns, problems }: RowChunk,
  rows: readonly Row[],
  fragments: readonly Fragment[],
): RowChunk {
  const below = new Set(fragments.map(({ line }) => line));
  const above = new Set(fragments.map(({ nextLine }) => nextLine));
  const whole: Row[] = [];
  const found: RowProblem[] = problems.map((problem) =>
    isFragment(problem) ? withoutMark(problem) : problem,
  );
  for (const row of rows) {
    if (above.has(row.line)) found.push(torn(row.line, "above"));
    else if (below.has(lineBehind(row))) found.push(torn(row.line, "below"));
    else whole.push(row);
  }
  found.sort((a, b) => a.line - b.line);
  return { columns, rows: whole, problems: found };
}

function isFragment(problem: RowProblem): problem is Fragment {
  return "nextLine" in problem;
}

function withoutMark({ line, reason, hint }: Fragment): RowProblem {
  return hint === undefined ? { line, reason } : { line, reason, hint };
}

function torn(line: number, where: "above" | "below"): RowProblem {
  return {
    line,
    reason: `the line ${where} has one cell only, so it may be a part of this row behind a line end without quotes`,
    hint: "join the two lines, or part them with a blank line where they do not belong together",
  };
}

function lineBehind({ line, cells }: Row): number {
  return cells.reduce<number>((behind, cell) => behind + countLineEnds(cell), line + 1);
}

function countLineEnds(cell: unknown): number {
  return typeof cell === "string" ? (cell.match(/\r\n|\n|\r/g)?.length ?? 0) : 0;
}
