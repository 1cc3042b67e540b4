import type { FreshProfile, Profile } from "./profile.ts";

/** One way in which a file is unlike all before it. */
export interface Drift {
  /** Names it for good: `rows`, `updates`, `columns:note`, `fill:note`, `dates:date_billed`, `sum:paid_amount`. */
  readonly aspect: string;
  /** With its numbers, for people. */
  readonly text: string;
  /** The same numbers for programs: rows, updates, shares of rows, days, or exact sums. */
  readonly before: number | string | undefined;
  readonly now: number | string | undefined;
}

/** Looks at one aspect of a file; `before` are the profiles of the files before it, the oldest first. */
export type LookAtAspect = (file: FreshProfile, before: readonly Profile[]) => readonly Drift[];

/** The files whose columns and values count: those of four months of nights. */
export const RECENT = 120;
/** Fewer files than these show nothing. */
export const LEAST_BEFORE = 3;
/** Told so often, a change is the new usual: whoever had it told has not minded. */
const TIMES_TOLD = 2;

/**
 * True if a file is unlike all before it in an aspect: unlike every one that is an example of it, and it was not told
 * before as often as makes it usual. `isLike` compares with one file; `undefined` where that one shows nothing.
 */
export function isUnlikeAll(
  before: readonly Profile[],
  aspect: string,
  isLike: (one: Profile) => boolean | undefined,
): boolean {
  let unlike = 0;
  let told = 0;
  for (const one of before) {
    const like = isLike(one);
    if (like === undefined) continue;
    if (!one.told.includes(aspect)) {
      if (like) return false;
      unlike++;
    } else if (like) told++;
  }
  return unlike >= LEAST_BEFORE && told < TIMES_TOLD;
}

/** The file whose numbers are shown: the last one that nothing was told of, else that is an example of the aspect. */
export function lastExample(before: readonly Profile[], aspect: string): Profile {
  const last = before.findLast(({ told }) => told.length === 0);
  return last ?? before.findLast(({ told }) => !told.includes(aspect))!;
}

/** The middle one of some numbers; 0 if there is none. */
export function medianOf(numbers: readonly number[]): number {
  return quantileOf(numbers, 0.5);
}

/** The number that this share of some numbers does not exceed; 0 if there is none. */
export function quantileOf(numbers: readonly number[], share: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(share * (numbers.length - 1))] ?? 0;
}
