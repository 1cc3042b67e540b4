import { normaliseName } from "./column-faults.ts";

const SHORT_LENGTH = 5;
const LONG_LENGTH = 8;

interface KnownField {
  readonly name: string;
  /** Position in the order of declaration. */
  readonly order: number;
}

/** A prefix of normalised field names, and the fields that end there. */
interface Beginning {
  readonly longer: Map<string, Beginning>;
  readonly fields: KnownField[];
}

/**
 * Known fields, for finding the one that a misspelt header probably means: one edit away, or two from eight letters on;
 * names of up to five letters must also begin alike. A name equal to a field is no near miss. The fields are stored by
 * prefix, so that a header is only compared with those that begin almost as it does.
 */
export class NearMisses {
  readonly #root: Beginning = { longer: new Map(), fields: [] };

  constructor(fields: Iterable<string>) {
    let order = 0;
    for (const name of fields) {
      let at = this.#root;
      for (const letter of normaliseName(name).split("")) {
        let longer = at.longer.get(letter);
        if (longer === undefined) {
          longer = { longer: new Map(), fields: [] };
          at.longer.set(letter, longer);
        }
        at = longer;
      }
      at.fields.push({ name, order: order++ });
    }
  }

  /** The nearest field; among equally near ones, the one with the most similar spelling, else the first. */
  nearest(header: string): string | undefined {
    const near = this.#near(normaliseName(header));
    let best = near.pop();
    if (best === undefined || near.length === 0) return best?.name;
    let fewest = countEdits(header, best.name);
    for (const field of near) {
      const edits = countEdits(header, field.name);
      if (edits > fewest || (edits === fewest && field.order > best.order)) continue;
      best = field;
      fewest = edits;
    }
    return best.name;
  }

  /** The fields with the fewest edits. */
  #near(name: string): KnownField[] {
    if (name === "") return [];
    let most = MOST_EDITS;
    let found: KnownField[] = [];
    const open: { readonly at: Beginning; readonly row: EditRow; readonly first: string }[] = [
      { at: this.#root, row: FIRST_ROW, first: "" },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { at, row, first } = next;
      const edits = editsTo(row, name);
      const allowed = row.length >= LONG_LENGTH ? 2 : 1;
      const beginsAlike = row.length > SHORT_LENGTH || first === name[0];
      if (at.fields.length > 0 && edits > 0 && edits <= Math.min(allowed, most) && beginsAlike) {
        if (edits < most) found = [];
        most = edits;
        for (const field of at.fields) found.push(field);
      }
      for (const [letter, longer] of at.longer) {
        const longerRow = nextRow(row, letter, name);
        if (longerRow.fewest <= most) open.push({ at: longer, row: longerRow, first: first || letter });
      }
    }
    return found;
  }
}

/**
 * Counts the edits between two names: inserting, deleting or changing a letter, or swapping two neighbours (optimal
 * string alignment distance). More than two count as three.
 */
export function countEdits(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MOST_EDITS) return MOST_EDITS + 1;
  let row = FIRST_ROW;
  for (const letter of left.split("")) {
    row = nextRow(row, letter, right);
    if (row.fewest > MOST_EDITS) return row.fewest;
  }
  return editsTo(row, right);
}

/** More edits than this are not told apart. */
const MOST_EDITS = 2;

const BEYOND = MOST_EDITS + 1;
const WIDTH = 2 * MOST_EDITS + 1;

/**
 * A row of the edit distance between a prefix of one name and prefixes of another that are about as long: those of
 * `length - 2` to `length + 2` letters. An edit inserts, deletes or changes a letter, or swaps two neighbours (optimal
 * string alignment distance); only distances below three are ever needed.
 */
interface EditRow {
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
const FIRST_ROW: EditRow = {
  length: 0,
  letter: "",
  edits: Array.from({ length: WIDTH }, (_, at) => (at < MOST_EDITS ? BEYOND : at - MOST_EDITS)),
  fewest: 0,
  before: undefined,
};

/** The row of the prefix that is one letter longer, compared with `other`. */
function nextRow(before: EditRow, letter: string, other: string): EditRow {
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
function editsTo(row: EditRow, other: string): number {
  return row.edits[other.length - row.length + MOST_EDITS] ?? BEYOND;
}
