import { normaliseName } from "./column-faults.ts";

/** Shorter names are one letter from too many others; longer ones have too many that are one letter shorter. */
const [LEAST, MOST] = [5, 64];

/** Known fields, for finding the one that a misspelt header means: one edit away. */
export class NearMisses {
  /** By their normalised names with one letter less. */
  readonly #shortened = new Map<string, string[]>();

  constructor(fields: Iterable<string>) {
    for (const field of fields)
      for (const shorter of shorten(normaliseName(field)))
        this.#shortened.set(shorter, [...(this.#shortened.get(shorter) ?? []), field]);
  }

  /** The field that a normalised name is one edit away from; `undefined` if there are several. */
  only(normal: string): string | undefined {
    const near = new Set<string>();
    for (const shorter of shorten(normal))
      for (const field of this.#shortened.get(shorter) ?? [])
        if (countEdits(normal, normaliseName(field)) === 1) near.add(field);
    return near.size === 1 ? [...near][0] : undefined;
  }
}

/** A name, and what is left of it without one of its letters: two names that are one edit apart share one of these. */
function shorten(name: string): ReadonlySet<string> {
  if (name.length < LEAST || name.length > MOST) return new Set();
  return new Set([name, ...Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1))]);
}

/** More edits than this are not told apart. */
const MOST_EDITS = 2;
const BEYOND = MOST_EDITS + 1;
/** Longer names are not compared: that takes time with the square of their length. */
const LONGEST = 128;

/**
 * Counts the edits between two names: inserting, deleting or changing a letter, or swapping two neighbours (optimal
 * string alignment distance). More than two count as three.
 */
export function countEdits(left: string, right: string): number {
  if (left === right) return 0;
  if (Math.abs(left.length - right.length) > MOST_EDITS || left.length > LONGEST) return BEYOND;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let length = 1; length <= left.length; length++) {
    const longer = [length];
    for (let at = 1; at <= right.length; at++) {
      const change = left[length - 1] === right[at - 1] ? 0 : 1;
      let edits = Math.min(row[at]! + 1, longer[at - 1]! + 1, row[at - 1]! + change);
      const isSwap = left[length - 1] === right[at - 2] && left[length - 2] === right[at - 1];
      if (isSwap && length > 1 && at > 1) edits = Math.min(edits, before[at - 2]! + 1);
      longer.push(edits);
    }
    if (Math.min(...longer) > MOST_EDITS) return BEYOND;
    before = row;
    row = longer;
  }
  return Math.min(row[right.length]!, BEYOND);
}
