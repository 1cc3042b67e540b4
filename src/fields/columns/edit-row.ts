/** More edits than this are not told apart. */
export const MOST_EDITS = 2;

const BEYOND = MOST_EDITS + 1;
const WIDTH = 2 * MOST_EDITS + 1;

/**
 * A row of the edit distance between a prefix of one name and prefixes of another that are about as long: those of
 * `length - 2` to `length + 2` letters. An edit inserts, deletes or changes a letter, or swaps two neighbours (optimal
 * string alignment distance); only distances below three are ever needed.
 */
export interface EditRow {
  /** Length of the prefix. */
  readonly length: number;
  /** Its last letter; `""` for the empty prefix. */
  readonly letter: string;
  readonly edits: readonly number[];
  /** The smallest distance in the row; a longer prefix never has a smaller one. */
  readonly fewest: number;
  /** The distances of the prefix that is one letter shorter. */
  readonly before: readonly number[] | undefined;
}

/** The row of the empty prefix. */
export const FIRST_ROW: EditRow = {
  length: 0,
  letter: "",
  edits: Array.from({ length: WIDTH }, (_, at) => (at < MOST_EDITS ? BEYOND : at - MOST_EDITS)),
  fewest: 0,
  before: undefined,
};

/** The row of the prefix that is one letter longer, compared with `other`. */
export function nextRow(before: EditRow, letter: string, other: string): EditRow {
  const length = before.length + 1;
  const edits = [BEYOND, BEYOND, BEYOND, BEYOND, BEYOND];
  let fewest = BEYOND;
  for (let at = 0; at < WIDTH; at++) {
    const end = length - MOST_EDITS + at;
    let count = BEYOND;
    if (end >= 0 && end <= other.length) {
      count = Math.min(count, (before.edits[at + 1] ?? BEYOND) + 1, (edits[at - 1] ?? BEYOND) + 1);
      if (end > 0) count = Math.min(count, before.edits[at]! + (letter === other[end - 1] ? 0 : 1));
      const isSwap = end > 1 && letter === other[end - 2] && before.letter === other[end - 1];
      if (isSwap && before.before !== undefined) count = Math.min(count, before.before[at]! + 1);
    }
    edits[at] = count;
    fewest = Math.min(fewest, count);
  }
  return { length, letter, edits, fewest, before: before.edits };
}

/** The distance from the whole prefix to the whole other name. */
export function editsTo(row: EditRow, other: string): number {
  return row.edits[other.length - row.length + MOST_EDITS] ?? BEYOND;
}
