/** More edits than these are all alike. */
export const MOST_EDITS = 2;

const BEYOND = MOST_EDITS + 1;
const WIDTH = 2 * MOST_EDITS + 1;

/**
 * How many edits lead from one beginning of a name to the beginnings of another that are about as long: those of
 * `length - 2` up to `length + 2` letters. An edit is a letter put in, left out, changed, or swapped with its neighbour
 * (optimal string alignment distance); rows of fewer edits than three are all that is ever asked for.
 */
export interface EditRow {
  /** Of the beginning. */
  readonly length: number;
  /** Its last letter; `""` for the empty one. */
  readonly letter: string;
  readonly edits: readonly number[];
  /** The fewest of them; a longer beginning never has fewer. */
  readonly fewest: number;
  /** Those of the beginning that is one letter shorter. */
  readonly before: readonly number[] | undefined;
}

/** The row of the empty beginning. */
export const FIRST_ROW: EditRow = {
  length: 0,
  letter: "",
  edits: Array.from({ length: WIDTH }, (_, at) => (at < MOST_EDITS ? BEYOND : at - MOST_EDITS)),
  fewest: 0,
  before: undefined,
};

/** The row of the beginning that is one letter longer, towards `other`. */
export function nextRow(before: EditRow, letter: string, other: string): EditRow {
  const length = before.length + 1;
  const edits: number[] = [];
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
    edits.push(count);
    fewest = Math.min(fewest, count);
  }
  return { length, letter, edits, fewest, before: before.edits };
}

/** The edits from the whole beginning to the whole other name. */
export function editsTo(row: EditRow, other: string): number {
  return row.edits[other.length - row.length + MOST_EDITS] ?? BEYOND;
}
