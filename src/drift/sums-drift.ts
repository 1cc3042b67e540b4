import { writeDecimal } from "../fields/amount/amount-sum.ts";
import type { PackedDate } from "../fields/date/time-zone.ts";
import { showCount, type SurveyCounts } from "../model/counts.ts";
import type { ColumnFigures } from "../model/marker-columns.ts";
import { showText } from "../model/text.ts";

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

/** Confusing whole units with cents makes a factor of 100 or 1000; a large invoice in a small file makes less. */
const FACTOR = 30;
const FACTOR_OF_FEW = 300;
const FEW = 20;

/** Sums that are far larger or smaller, for their number of amounts, than before. */
export const lookAtSums: LookAtAspect = (file, before) => {
  const recent = before.slice(-RECENT);
  return file.columns.flatMap((column): Drift[] => {
    const mean = meanOf(column);
    if (mean === undefined) return [];
    const aspect = `sum:${column.field}`;
    const of = (one: FreshProfile): ProfiledColumn | undefined =>
      one.columns.find(({ field }) => field === column.field);
    const isDrift = isUnlikeAll(recent, aspect, (one) => {
      const other = meanOf(of(one));
      if (other === undefined || other === 0) return undefined;
      const isFew = Math.min(column.filled, of(one)!.filled) < FEW;
      const factor = isFew ? FACTOR_OF_FEW : FACTOR;
      return mean <= factor * other && mean * factor >= other;
    });
    if (!isDrift) return [];
    const examples = recent.filter((one) => (meanOf(of(one)) ?? 0) > 0);
    const last = of(lastExample(examples, aspect))!;
    const text = `the sum of ${showText(column.field)} is ${showSum(last)} -> ${showSum(column)}`;
    return [{ aspect, text, before: last.sum, now: column.sum }];
  });
};

/** The mean amount without its sign; `undefined` if there are none. */
function meanOf(column: ProfiledColumn | undefined): number | undefined {
  if (column?.sum === undefined || column.filled === 0) return undefined;
  return Math.abs(Number(column.sum)) / column.filled;
}

function showSum({ sum, filled }: ProfiledColumn): string {
  return `${sum} in ${showCount(filled, "row")}`;
}

/** The figures of one column of a file. */
export interface ProfiledColumn {
  readonly field: string;
  /** The number of records in which it has a value. */
  readonly filled: number;
  /** An exact wire amount. */
  readonly sum?: string;
}

/**
 * The figures of one file that was pushed to a table: no values from its rows, except sums.
 */
export interface Profile {
  /** The day of the push, by the clock of its machine. */
  readonly day: PackedDate;
  readonly file: string;
  /** The number of rows that give a record, including those that a later row supersedes. */
  readonly rows: number;
  readonly updates: number;
  readonly columns: readonly ProfiledColumn[];
  /** The number of rows that was usual when it was judged; `undefined` for the first file. */
  readonly usualRows?: number | undefined;
  /** The aspects in which it was reported as unlike all before and was not accepted: for these it is no example. */
  readonly told: readonly string[];
}

/** A profile that was not compared with others yet. */
export type FreshProfile = Omit<Profile, "usualRows" | "told">;

/** Makes the profile of a surveyed file. */
export function profileOf(
  file: string,
  { updates, creates, superseded }: SurveyCounts,
  figures: readonly ColumnFigures[],
  day: PackedDate,
): FreshProfile {
  return {
    day,
    file,
    rows: updates + creates + superseded,
    updates: updates + superseded,
    columns: figures.map(({ field, filled, sum }) => ({
      field,
      filled,
      ...(sum === undefined ? {} : { sum: writeDecimal(sum) }),
    })),
  };
}
