import type { RecordList } from "../model/settlement.ts";

/** A range of numbers, both ends included. */
export type NumberRange = readonly [first: number, last: number];

/** A set of whole numbers, kept as sorted ranges: it takes little memory if the numbers lie close together. */
export class NumberRanges {
  #ranges: NumberRange[] = [];
  #count = 0;

  /** How many numbers are in it. */
  get count(): number {
    return this.#count;
  }

  /** The ranges in order; adjacent ones are merged. */
  get ranges(): readonly NumberRange[] {
    return [...this.#ranges];
  }

  has(number: number): boolean {
    const range = this.#ranges[this.#findFrom(number)];
    return range !== undefined && range[0] <= number;
  }

  /** The parts of a range that are in the set, in order. */
  within([first, last]: NumberRange): NumberRange[] {
    return this.#touching(first, last).map(([from, to]) => [Math.max(first, from), Math.min(last, to)]);
  }

  /** Adds a range; returns how many of its numbers were not in the set. */
  add([first, last]: NumberRange): number {
    const added = last - first + 1 - sizeOf(this.within([first, last]));
    const joined = this.#touching(first - 1, last + 1);
    const all: NumberRange = [
      Math.min(first, joined[0]?.[0] ?? first),
      Math.max(last, joined.at(-1)?.[1] ?? last),
    ];
    this.#ranges.splice(this.#findFrom(first - 1), joined.length, all);
    this.#count += added;
    return added;
  }

  /** Removes a range; returns how many of its numbers were in the set. */
  remove([first, last]: NumberRange): number {
    const cut = this.#touching(first, last);
    const removed = sizeOf(this.within([first, last]));
    if (removed === 0) return 0;
    const rest: NumberRange[] = [];
    const [from, to] = [cut[0]![0], cut.at(-1)![1]];
    if (from < first) rest.push([from, first - 1]);
    if (to > last) rest.push([last + 1, to]);
    this.#ranges.splice(this.#findFrom(first), cut.length, ...rest);
    this.#count -= removed;
    return removed;
  }

  clear(): void {
    this.#ranges = [];
    this.#count = 0;
  }

  /** The ranges that hold some of these numbers. */
  #touching(first: number, last: number): NumberRange[] {
    const from = this.#findFrom(first);
    let to = from;
    while (to < this.#ranges.length && this.#ranges[to]![0] <= last) to += 1;
    return this.#ranges.slice(from, to);
  }

  /** The index of the first range that does not end before `number`. */
  #findFrom(number: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]![1] < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** How many numbers are in ranges that do not overlap. */
export function sizeOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** The ranges that numbers in rising order form. */
export function rangesOf(numbers: Iterable<number>): NumberRange[] {
  const ranges: [number, number][] = [];
  let open: [number, number] | undefined;
  for (const number of numbers) {
    if (open !== undefined && open[1] + 1 === number) open[1] = number;
    else ranges.push((open = [number, number]));
  }
  return ranges;
}

/** The ranges of the places of records in file order: nearly always one. */
export function ordinalsOf({ stretches }: RecordList): NumberRange[] {
  return rangesOf(ordinals());

  function* ordinals(): Generator<number> {
    for (const { of, from, to } of stretches)
      for (let index = from; index < to; index++) yield of.ordinal(index);
  }
}
