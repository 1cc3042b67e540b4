import type { RecordList } from "../model/settlement.ts";

/** A range of numbers, both ends included. */
export type NumberRange = readonly [first: number, last: number];

/** A set of whole numbers, kept as sorted ranges: it takes little memory if the numbers lie close together. */
export class NumberRanges {
  #firsts: number[] = [];
  #lasts: number[] = [];
  #count = 0;

  /** How many numbers are in it. */
  get count(): number {
    return this.#count;
  }

  /** The ranges in order; adjacent ones are merged. */
  get ranges(): readonly NumberRange[] {
    return this.#firsts.map((first, at) => [first, this.#lasts[at] as number]);
  }

  has(number: number): boolean {
    const at = this.#findFrom(number);
    return at < this.#firsts.length && (this.#firsts[at] as number) <= number;
  }

  /** The parts of a range that are in the set, in order. */
  within([first, last]: NumberRange): NumberRange[] {
    const found: NumberRange[] = [];
    for (
      let at = this.#findFrom(first);
      at < this.#firsts.length && (this.#firsts[at] as number) <= last;
      at++
    )
      found.push([Math.max(first, this.#firsts[at] as number), Math.min(last, this.#lasts[at] as number)]);
    return found;
  }

  /** Adds a range; returns how many of its numbers were not in the set. */
  add([first, last]: NumberRange): number {
    const from = this.#findFrom(first - 1);
    let to = from;
    let [newFirst, newLast] = [first, last];
    let held = 0;
    for (; to < this.#firsts.length && (this.#firsts[to] as number) <= last + 1; to++) {
      const [otherFirst, otherLast] = [this.#firsts[to] as number, this.#lasts[to] as number];
      held += Math.max(0, Math.min(last, otherLast) - Math.max(first, otherFirst) + 1);
      newFirst = Math.min(newFirst, otherFirst);
      newLast = Math.max(newLast, otherLast);
    }
    this.#replace(from, to, [[newFirst, newLast]]);
    const added = last - first + 1 - held;
    this.#count += added;
    return added;
  }

  /** Removes a range; returns how many of its numbers were in the set. */
  remove([first, last]: NumberRange): number {
    const from = this.#findFrom(first);
    const rest: NumberRange[] = [];
    let to = from;
    let removed = 0;
    for (; to < this.#firsts.length && (this.#firsts[to] as number) <= last; to++) {
      const [otherFirst, otherLast] = [this.#firsts[to] as number, this.#lasts[to] as number];
      if (otherFirst < first) rest.push([otherFirst, first - 1]);
      if (otherLast > last) rest.push([last + 1, otherLast]);
      removed += Math.min(last, otherLast) - Math.max(first, otherFirst) + 1;
    }
    if (removed > 0) this.#replace(from, to, rest);
    this.#count -= removed;
    return removed;
  }

  clear(): void {
    this.#replace(0, this.#firsts.length, []);
    this.#count = 0;
  }

  /** The index of the first range that does not end before `number`. */
  #findFrom(number: number): number {
    let low = 0;
    let high = this.#lasts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lasts[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #replace(from: number, to: number, by: readonly NumberRange[]): void {
    this.#firsts.splice(from, to - from, ...by.map(([first]) => first));
    this.#lasts.splice(from, to - from, ...by.map(([, last]) => last));
  }
}

/** The ranges that numbers in rising order form. */
export function rangesOf(numbers: Iterable<number>): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges[ranges.length - 1];
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The ranges of the places of records in file order: nearly always one. */
export function ordinalsOf({ stretches }: RecordList): NumberRange[] {
  const ranges: NumberRange[] = [];
  let first = 0;
  let next = 0;
  for (const { of, from, to } of stretches) {
    for (let index = from; index < to; index++) {
      const ordinal = of.ordinal(index);
      if (ordinal !== next) {
        if (next > first) ranges.push([first, next - 1]);
        first = ordinal;
      }
      next = ordinal + 1;
    }
  }
  if (next > first) ranges.push([first, next - 1]);
  return ranges;
}
