import type { FreshProfile, Profile } from "./profile.ts";

/** One way in which a file is unlike all before it. */
export interface Drift {
  /** A permanent name: `rows`, `updates`, `columns:note`, `sum:paid_amount`. */
  readonly aspect: string;
  /** A description with the numbers, for people. */
  readonly text: string;
  /** The same numbers for programs: rows, updates, files, or exact sums. */
  readonly before: number | string | undefined;
  readonly now: number | string | undefined;
}

/** Looks at one aspect of a file; `before` are the profiles of the files before it, the oldest first. */
export type LookAtAspect = (file: FreshProfile, before: readonly Profile[]) => readonly Drift[];

/** The files whose columns and values count: about four months of nightly files. */
export const RECENT = 120;
/** Fewer earlier files than this prove nothing. */
export const LEAST_BEFORE = 3;
/** A change that was reported this often is the new usual: whoever saw the reports has not objected. */
const TIMES_TOLD = 2;

/**
 * True if a file is unlike all before it in an aspect: it differs from every file that is an example of the aspect,
 * and the difference was not reported so often that it has become usual. `isLike` compares with one file, and returns
 * `undefined` if that one says nothing.
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

/**
 * The file whose numbers are shown: the last one for which nothing was reported, else the last that is an example of
 * the aspect.
 */
export function lastExample(before: readonly Profile[], aspect: string): Profile {
  const last = before.findLast(({ told }) => told.length === 0);
  return last ?? before.findLast(({ told }) => !told.includes(aspect))!;
}

/** The median of some numbers; 0 if there are none. */
export function medianOf(numbers: readonly number[]): number {
  return quantileOf(numbers, 0.5);
}

/** The number that this share of the numbers does not exceed; 0 if there are none. */
export function quantileOf(numbers: readonly number[], share: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(share * (numbers.length - 1))] ?? 0;
}
