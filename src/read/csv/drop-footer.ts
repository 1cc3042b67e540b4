import type { UnreadableRow } from "../../model/row.ts";
import { inputError } from "../input-error.ts";
import type { CsvRow } from "./csv-row.ts";
import type { CsvChunk } from "./csv-rows.ts";

/** A chunk that may contain rows of the footer. */
interface HeldChunk {
  readonly chunk: CsvChunk;
  /** Number of rows that are not blank, read or unreadable. */
  readonly size: number;
}

/**
 * Leaves out the last `count` rows that are not blank, read or unreadable, and the blank ones among them; holds back as
 * many chunks as contain them. Throws an input error if one of them is as full as a row above.
 */
export async function* dropFooter(
  chunks: AsyncIterable<CsvChunk>,
  count: number,
  file: string,
): AsyncGenerator<CsvChunk> {
  const held: HeldChunk[] = [];
  let rows = 0;
  /** The filled cells of the sparsest row above the footer. */
  let least = Infinity;
  for await (const chunk of chunks) {
    const size = [...chunk.rows].filter(isFilled).length + chunk.unreadable.length;
    held.push({ chunk, size });
    rows += size;
    while (rows - held[0]!.size >= count) {
      const above = held.shift()!;
      rows -= above.size;
      least = leastFilled([...above.chunk.rows], least);
      yield above.chunk;
    }
  }
  const starts = held.flatMap(({ chunk }) =>
    [...[...chunk.rows].filter(isFilled), ...chunk.unreadable].map(({ start }) => start),
  );
  const footer = starts.sort((left, right) => left - right).at(-count) ?? 0;
  const isAbove = ({ start }: CsvRow | UnreadableRow): boolean => start < footer;
  const last = held.flatMap(({ chunk }) => [...chunk.rows]);
  refuseFullRows(
    last.filter((row) => !isAbove(row)),
    leastFilled(last.filter(isAbove), least),
    count,
    file,
  );
  for (const { chunk } of held) {
    chunk.rows.keep((index) => chunk.rows.start(index) < footer);
    yield { ...chunk, unreadable: chunk.unreadable.filter(isAbove) };
  }
}

function refuseFullRows(footer: readonly CsvRow[], least: number, count: number, file: string): void {
  const full = footer.find((row) => row.width > 1 && row.filled >= least);
  if (full === undefined) return;
  throw inputError(
    { file, line: full.line },
    "full-footer",
    `--skip-footer ${count} would leave this row out, of which ${full.filled} ${full.filled === 1 ? "cell is" : "cells are"} filled, as many as of a row above`,
    { hint: "give the number of rows that are none; --totals skip leaves out rows that look like totals" },
  );
}

function isFilled(row: CsvRow): boolean {
  return row.filled > 0;
}

function leastFilled(rows: readonly CsvRow[], least: number): number {
  return rows.reduce((fewest, { filled }) => (filled === 0 ? fewest : Math.min(fewest, filled)), least);
}
