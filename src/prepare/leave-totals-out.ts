import type { SuspectList, SuspectRow } from "../fields/totals/suspect-list.ts";
import { totalProblem } from "../fields/totals/suspicion.ts";
import type { RejectedRow } from "../model/row.ts";
import type { EmptyRow, PreparedChunk } from "./packed-chunk.ts";

/**
 * Turns the rows that the survey found to look like totals, whether records or rejected rows, into rejected rows or,
 * if `areSkipped`, into rows with nothing to send.
 */
export async function* leaveTotalsOut(
  chunks: AsyncIterable<PreparedChunk> | Iterable<PreparedChunk>,
  suspects: SuspectList,
  areSkipped: boolean,
): AsyncGenerator<PreparedChunk> {
  const rows = suspects.rows();
  let next = rows.next();
  for await (const chunk of chunks) {
    const end = lastStart(chunk);
    const found = new Map<number, SuspectRow>();
    for (; next.done !== true && next.value.start <= end; next = rows.next())
      found.set(next.value.start, next.value);
    yield found.size === 0 ? chunk : leaveOut(chunk, found, suspects.hint, areSkipped);
  }
}

function leaveOut(
  { records, rejected, empty }: PreparedChunk,
  found: ReadonlyMap<number, SuspectRow>,
  hint: string,
  areSkipped: boolean,
): PreparedChunk {
  const others = rejected.filter(({ start }) => !found.has(start));
  const rows = [
    ...records
      .filter(({ rowStart }) => found.has(rowStart))
      .map(({ line, rowStart: start, rowEnd: end }) => ({ line, start, end })),
    ...rejected.filter(({ start }) => found.has(start)),
  ];
  const kept = records.filter(({ rowStart }) => !found.has(rowStart));
  if (areSkipped) {
    const skipped: EmptyRow[] = rows.map(({ line, start }) => ({ line, start }));
    return { records: kept, rejected: others, empty: inOrder([...empty, ...skipped]) };
  }
  const totals = rows.map(({ line, start, end }): RejectedRow => {
    const { record, reason } = found.get(start)!;
    return { line, start, end, key: undefined, problems: [totalProblem(line, record, reason, hint)] };
  });
  return { records: kept, rejected: inOrder([...others, ...totals]), empty };
}

function inOrder<Started extends { readonly start: number }>(rows: Started[]): Started[] {
  return rows.sort((left, right) => left.start - right.start);
}

function lastStart({ records, rejected, empty }: PreparedChunk): number {
  return Math.max(records.at(-1)?.rowStart ?? -1, rejected.at(-1)?.start ?? -1, empty.at(-1)?.start ?? -1);
}
