import type { MarkedCell } from "../../model/problem-groups.ts";
import { QUOTED, type Row } from "../../model/row.ts";

/** More bytes than any terminal shows of a line. */
const MOST_BYTES = 600;

/**
 * The line of a CSV row around a cell, as the file writes it; `undefined` if the text is not available. `column` counts
 * from 1.
 */
export function markCell(row: Row, column: number): MarkedCell | undefined {
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
