/** Shorter names are one letter from too many others. */
const LEAST = 5;
/** More edits than this are not told apart. */
const MOST_EDITS = 2;
const BEYOND = MOST_EDITS + 1;
/** Longer names are not compared: that takes time with the square of their length. */
const LONGEST = 128;

/** The field that a normalised name is one edit away from; `undefined` if there are several. `fields`: normalised names too. */
export function nearestField(normal: string, fields: ReadonlyMap<string, string>): string | undefined {
  if (normal.length < LEAST) return undefined;
  const near = [...fields].filter(([, other]) => other.length >= LEAST && countEdits(normal, other) === 1);
  return near.length === 1 ? near[0]![0] : undefined;
}

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
