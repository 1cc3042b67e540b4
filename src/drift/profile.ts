import { dayNumber, type PackedDate } from "../fields/date/calendar.ts";
import { parseDecimal, writeDecimal } from "../fields/amount/amount-sum.ts";
import type { ColumnFigures } from "../model/column-figures.ts";
import type { SurveyCounts } from "../model/event.ts";
import type { InputFormat } from "../model/reading.ts";

/** The figures of one column of a file. */
export interface ProfiledColumn {
  readonly field: string;
  /** Records in which it has a value. */
  readonly filled: number;
  readonly dates?: readonly [first: PackedDate, last: PackedDate];
  /** A wire amount, exact. */
  readonly sum?: string;
}

/** The figures of one file that was pushed to a table: no values of its rows beside its first and last days and its sums. */
export interface Profile {
  /** The day of the push, by the clock of its machine. */
  readonly day: PackedDate;
  readonly file: string;
  /** True for a CSV, in which an empty column still has its header. */
  readonly hasHeader: boolean;
  /** Rows that give a record, those that a later row supersedes counted. */
  readonly rows: number;
  readonly updates: number;
  readonly columns: readonly ProfiledColumn[];
  /** The rows that were usual for its day when it was judged; `undefined` for the first file. */
  readonly usualRows?: number | undefined;
  /** The aspects in which it was told to be unlike all before and was not accepted: in these it is no example. */
  readonly told: readonly string[];
}

/** A profile before it is compared with others. */
export type FreshProfile = Omit<Profile, "usualRows" | "told">;

/** Makes the profile of a surveyed file. */
export function profileOf(
  file: string,
  format: InputFormat,
  { updates, creates, superseded }: SurveyCounts,
  figures: readonly ColumnFigures[],
  day: PackedDate,
): FreshProfile {
  return {
    day,
    file,
    hasHeader: format === "csv",
    rows: updates + creates + superseded,
    updates: updates + superseded,
    columns: figures.map(({ field, filled, dates, sum }) => ({
      field,
      filled,
      ...(dates === undefined ? {} : { dates: [dates.first, dates.last] as const }),
      ...(sum === undefined ? {} : { sum: writeDecimal(sum) }),
    })),
  };
}

/** Reads a profile that was kept; `undefined` for anything else, as a damaged line or one of a newer version. */
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

function isColumn({ field, filled, dates, sum }: ProfiledColumn): boolean {
  const areDates = dates === undefined || (dates.length === 2 && dates.every(Number.isSafeInteger));
  if (sum !== undefined) parseDecimal(sum);
  return typeof field === "string" && Number.isSafeInteger(filled) && areDates;
}
