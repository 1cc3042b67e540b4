import type { RecordList } from "../model/settlement.ts";

/** A range of numbers, both ends included. */
export type NumberRange = readonly [first: number, last: number];

interface Stretch<State> {
  readonly first: number;
  readonly last: number;
  readonly state: State;
}

/** The states of numbered records, as sorted stretches: it takes little memory if neighbours are in one state. */
export class StatesOfNumbers<State extends string> {
  readonly #stretches: Stretch<State>[] = [];
  readonly #counts = new Map<State, number>();

  /** How many numbers are in that state. */
  count(state: State): number {
    return this.#counts.get(state) ?? 0;
  }

  /** The state of a number; `undefined` if it has none. */
  of(number: number): State | undefined {
    const found = this.#stretches[this.#findFrom(number)];
    return found !== undefined && found.first <= number ? found.state : undefined;
  }

  /** The numbers in that state, among those of a range. */
  in(state: State, [first, last]: NumberRange = [0, Infinity]): readonly NumberRange[] {
    return this.#touching(first, last).flatMap((one): NumberRange[] =>
      one.state === state ? [[Math.max(first, one.first), Math.min(last, one.last)]] : [],
    );
  }

  /** All numbers of a range are in that state from now on; without one, in none. */
  set([first, last]: NumberRange, state?: State): void {
    let [from, to] = [first, last];
    const before: Stretch<State>[] = [];
    const after: Stretch<State>[] = [];
    // Those beside the range are joined with it if they are in its state.
    const touching = this.#touching(first - 1, last + 1);
    for (const one of touching) {
      this.#count(one.state, -Math.max(0, Math.min(last, one.last) - Math.max(first, one.first) + 1));
      const isJoined = one.state === state;
      if (isJoined) [from, to] = [Math.min(from, one.first), Math.max(to, one.last)];
      if (one.first < first && !isJoined) before.push({ ...one, last: Math.min(one.last, first - 1) });
      if (one.last > last && !isJoined) after.push({ ...one, first: Math.max(one.first, last + 1) });
    }
    if (state !== undefined) {
      before.push({ first: from, last: to, state });
      this.#count(state, last - first + 1);
    }
    this.#stretches.splice(this.#findFrom(first - 1), touching.length, ...before, ...after);
  }

  #count(state: State, more: number): void {
    this.#counts.set(state, this.count(state) + more);
  }

  /** The stretches that hold some of these numbers. */
  #touching(first: number, last: number): readonly Stretch<State>[] {
    const from = this.#findFrom(first);
    let to = from;
    while (to < this.#stretches.length && this.#stretches[to]!.first <= last) to += 1;
    return this.#stretches.slice(from, to);
  }

  /** The index of the first stretch that does not end before `number`. */
  #findFrom(number: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#stretches[middle]!.last < number) low = middle + 1;
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
  for (const number of numbers) addTo(ranges, number);
  return ranges;
}

/** The ranges of the places of records in file order: nearly always one. */
export function ordinalsOf({ stretches }: RecordList): NumberRange[] {
  const ranges: [number, number][] = [];
  for (const { of, from, to } of stretches)
    for (let index = from; index < to; index++) addTo(ranges, of.ordinal(index));
  return ranges;
}

function addTo(ranges: [number, number][], number: number): void {
  const last = ranges[ranges.length - 1];
  if (last !== undefined && last[1] + 1 === number) last[1] = number;
  else ranges.push([number, number]);
}
