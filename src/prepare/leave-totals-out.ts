import type { SuspectList, SuspectRow } from "../fields/totals/suspect-list.ts";
import { answerFor, SPARSE_HINT, totalProblem, type SuspectAnswers } from "../fields/totals/suspicion.ts";
import type { RejectedRow } from "../model/row.ts";
import type { EmptyRow, PreparedChunk } from "./packed-chunk.ts";

/**
 * Turns the rows that the survey found to look like totals or to hold too little, whether records or rejected rows, into
 * rejected rows or, where the answer is to skip them, into rows with nothing to send.
 */
export async function* leaveTotalsOut(
  chunks: AsyncIterable<PreparedChunk> | Iterable<PreparedChunk>,
  suspects: SuspectList,
  answers: SuspectAnswers,
): AsyncGenerator<PreparedChunk> {
  const rows = suspects.rows();
  let next = rows.next();
  for await (const chunk of chunks) {
    const end = lastStart(chunk);
    const found = new Map<number, SuspectRow>();
    for (; next.done !== true && next.value.start <= end; next = rows.next())
      found.set(next.value.start, next.value);
    yield found.size === 0 ? chunk : leaveOut(chunk, found, suspects.hint, answers);
  }
}

function leaveOut(
  { records, rejected, empty }: PreparedChunk,
  found: ReadonlyMap<number, SuspectRow>,
  hint: string,
  answers: SuspectAnswers,
): PreparedChunk {
  const others = rejected.filter(({ start }) => !found.has(start));
  const rows = [
    ...records
      .filter(({ rowStart }) => found.has(rowStart))
      .map(({ line, rowStart: start, rowEnd: end }) => ({ line, start, end })),
    ...rejected.filter(({ start }) => found.has(start)),
  ];
  const kept = records.filter(({ rowStart }) => !found.has(rowStart));
  const isSkipped = ({ start }: { readonly start: number }): boolean =>
    answerFor(found.get(start)!.isSparse, answers) === "skip";
  const skipped = rows.filter(isSkipped).map(({ line, start }): EmptyRow => ({ line, start }));
  const invalid = rows
    .filter((row) => !isSkipped(row))
    .map(({ line, start, end }): RejectedRow => {
      const { record, reason, isSparse } = found.get(start)!;
      const problem = totalProblem(line, record, reason, isSparse ? SPARSE_HINT : hint);
      return { line, start, end, key: undefined, problems: [problem] };
    });
  return {
    records: kept,
    rejected: inOrder([...others, ...invalid]),
    empty: inOrder([...empty, ...skipped]),
  };
}

function inOrder<Started extends { readonly start: number }>(rows: Started[]): Started[] {
  return rows.sort((left, right) => left.start - right.start);
}

function lastStart({ records, rejected, empty }: PreparedChunk): number {
  return Math.max(records.at(-1)?.rowStart ?? -1, rejected.at(-1)?.start ?? -1, empty.at(-1)?.start ?? -1);
}
