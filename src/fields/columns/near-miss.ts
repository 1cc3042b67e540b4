import { normaliseName } from "./column-names.ts";

const SHORT_LENGTH = 5;
const LONG_LENGTH = 8;

/**
 * True where a header is probably a known field misspelt: one edit away, from eight letters on two; names of up to five
 * letters must also begin alike. A name equal to the field is no near miss.
 */
export function isNearMiss(header: string, field: string): boolean {
  const name = normaliseName(header);
  const known = normaliseName(field);
  if (name === "" || name === known) return false;
  if (known.length <= SHORT_LENGTH && name[0] !== known[0]) return false;
  return countEdits(name, known) <= (known.length >= LONG_LENGTH ? 2 : 1);
}

/**
 * Counts the edits between two names: a letter put in, left out, changed, or swapped with its neighbour (optimal string
 * alignment distance). Names whose lengths differ by more than two count as that difference.
 */
export function countEdits(left: string, right: string): number {
  const gap = Math.abs(left.length - right.length);
  if (gap > 2) return gap;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length]!;
}
