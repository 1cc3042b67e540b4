import type { Row, RowChunk, RowProblem } from "../../model/row.ts";

/** Leaves out the last `count` rows, read or unreadable; holds that many back. */
export async function* dropFooter(chunks: AsyncIterable<RowChunk>, count: number): AsyncGenerator<RowChunk> {
  let rows: readonly Row[] = [];
  let problems: readonly RowProblem[] = [];
  for await (const chunk of chunks) {
    rows = rows.length === 0 ? chunk.rows : [...rows, ...chunk.rows];
    problems = problems.length === 0 ? chunk.problems : [...problems, ...chunk.problems];
    const [heldRows, heldProblems] = countHeld(rows, problems, count);
    const rowsEnd = rows.length - heldRows;
    const problemsEnd = problems.length - heldProblems;
    if (rowsEnd + problemsEnd > 0) {
      yield {
        columns: chunk.columns,
        rows: rows.slice(0, rowsEnd),
        problems: problems.slice(0, problemsEnd),
      };
    }
    rows = rows.slice(rowsEnd);
    problems = problems.slice(problemsEnd);
  }
}

/** How many of each list are among the last `count` by line. */
function countHeld(
  rows: readonly Row[],
  problems: readonly RowProblem[],
  count: number,
): readonly [rows: number, problems: number] {
  let heldRows = 0;
  let heldProblems = 0;
  while (heldRows + heldProblems < Math.min(count, rows.length + problems.length)) {
    const rowLine = rows.at(-1 - heldRows)?.line ?? -1;
    const problemLine = problems.at(-1 - heldProblems)?.line ?? -1;
    if (rowLine > problemLine) {
      heldRows += 1;
    } else {
      heldProblems += 1;
    }
  }
  return [heldRows, heldProblems];
}
