import { appendFile, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseDecimal, writeDecimal } from "../fields/amount/amount-sum.ts";
import { dayNumber, type PackedDate } from "../fields/date/time-zone.ts";
import { showCount, type SurveyCounts } from "../model/decimal-of.ts";
import type { ColumnFigures } from "../model/marker-columns.ts";
import { showText } from "../model/refer-to-sheets.ts";
import { replaceFile } from "../store/private-file.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { placeOfTable } from "../store/table-place.ts";

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

/** At least this many profiles of a table are kept: those of a year of nightly files. */
const MOST_KEPT = 400;

/** The profiles of the files that were pushed to a table. A push does not depend on them, so nothing here throws. */
export class ProfileFile {
  readonly path: string;
  /** The oldest first. */
  readonly profiles: readonly Profile[];
  /** Why the file cannot be read; if it cannot, nothing is written to it either. */
  readonly fault: string | undefined;
  /** Lines that are not profiles; the next write leaves them out. */
  readonly damaged: number;
  #kept: readonly Profile[];
  /** Lines in the file, including damaged ones. */
  #lines: number;

  private constructor(path: string, lines: readonly string[], fault?: string) {
    const read = lines.slice(-MOST_KEPT).map(readProfile);
    this.path = path;
    this.profiles = read.filter((profile) => profile !== undefined);
    this.fault = fault;
    this.damaged = read.length - this.profiles.length;
    this.#kept = this.profiles;
    this.#lines = lines.length;
  }

  static async open(state: StateDirectory, url: string): Promise<ProfileFile> {
    const path = join(state.profiles, basename(placeOfTable(state, { url })));
    try {
      const text = await readFile(path, "utf8");
      return new ProfileFile(
        path,
        text.split("\n").filter((line) => line !== ""),
      );
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return new ProfileFile(path, [], code === "ENOENT" ? undefined : message);
    }
  }

  /**
   * Adds a profile; returns the reason if that fails. It is not synced to disk: losing one to a power failure does no
   * harm.
   */
  async add(profile: Profile): Promise<string | undefined> {
    if (this.fault !== undefined) return this.fault;
    const kept = [...this.#kept, profile].slice(-MOST_KEPT);
    const isWhole = this.damaged > 0 || this.#lines >= 2 * MOST_KEPT;
    try {
      if (isWhole) await replaceFile(this.path, kept.map(spell).join(""));
      else await appendFile(this.path, spell(profile), { mode: 0o600 });
    } catch (error) {
      return (error as Error).message;
    }
    this.#kept = kept;
    this.#lines = isWhole ? kept.length : this.#lines + 1;
    return undefined;
  }
}

/** The first line feed ends a line that a crash cut off. */
function spell(profile: Profile): string {
  return `\n${JSON.stringify(profile)}\n`;
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

/** Reads a stored profile; `undefined` for anything else, such as a damaged line or one of a newer version. */
export function readProfile(line: string): Profile | undefined {
  try {
    const profile = JSON.parse(line) as Profile;
    return isProfile(profile) ? profile : undefined;
  } catch {
    return undefined;
  }
}

function isProfile({ day, file, rows, updates, usualRows, columns, told }: Profile): boolean {
  const areCounts = [day, rows, updates, usualRows ?? 0].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );
  return (
    areCounts &&
    typeof file === "string" &&
    Number.isFinite(dayNumber(day)) &&
    told.every((aspect) => typeof aspect === "string") &&
    columns.every(isColumn)
  );
}

function isColumn({ field, filled, sum }: ProfiledColumn): boolean {
  if (sum !== undefined) parseDecimal(sum);
  return typeof field === "string" && Number.isSafeInteger(filled);
}
