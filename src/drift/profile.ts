import { dayNumber, type PackedDate } from "../fields/date/calendar.ts";
import { parseDecimal, writeDecimal } from "../fields/amount/amount-sum.ts";
import type { ColumnFigures } from "../model/column-figures.ts";
import type { SurveyCounts } from "../model/event.ts";

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
