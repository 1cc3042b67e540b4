import type { Row, RowChunk, RowProblem } from "../../model/row.ts";
import { countLineEnds } from "../text/line-ends.ts";

/** A row of one cell in a wider table: it may be the rest of a neighbour's first or last cell. */
interface Fragment extends RowProblem {
  /** The physical line behind it. */
  readonly nextLine: number;
}

/** Marks the problem of a row of one cell, so that {@link withholdTornRows} looks at the lines that touch it. */
export function asFragment(problem: RowProblem): RowProblem {
  const fragment: Fragment = { ...problem, nextLine: (problem.lastLine ?? problem.line) + 1 };
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
    const lastRow = judged.rows.at(-1);
    // What stands behind the last row tells already that it is whole, and must not come before it.
    const isKnown = (judged.problems.at(-1)?.line ?? 0) > (lastRow?.line ?? 0);
    const keptBack = isKnown ? undefined : lastRow;
    held = keptBack === undefined ? undefined : { ...chunk, rows: [keptBack], problems: [] };
    const ready = keptBack === undefined ? judged.rows : judged.rows.slice(0, -1);
    if (ready.length > 0 || judged.problems.length > 0) yield { ...judged, rows: ready };
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
    if (above.has(row.line)) found.push(torn(row, "above"));
    else if (below.has(lineBehind(row))) found.push(torn(row, "below"));
    else whole.push(row);
  }
  found.sort((a, b) => a.line - b.line);
  return { columns, rows: whole, problems: found };
}

function isFragment(problem: RowProblem): problem is Fragment {
  return "nextLine" in problem;
}

function withoutMark({ line, lastLine, reason, hint }: Fragment): RowProblem {
  return {
    line,
    reason,
    ...(lastLine === undefined ? {} : { lastLine }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function torn(row: Row, where: "above" | "below"): RowProblem {
  const lastLine = lineBehind(row) - 1;
  return {
    line: row.line,
    ...(lastLine === row.line ? {} : { lastLine }),
    reason: `the line ${where} has one cell only, so it may be a part of this row behind a line end without quotes`,
    hint: "join the two lines, or part them with a blank line where they do not belong together",
  };
}

function lineBehind({ line, cells }: Row): number {
  return line + 1 + countLineEnds(cells);
}
