import { writeSum } from "../fields/amount/amount-evidence.ts";
import type { PackedDate } from "../fields/date/calendar.ts";
import { type ColumnFigures, showCount, showInteger, type SurveyCounts } from "../model/counts.ts";
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
}

/** Makes the profile of a surveyed file. */
export function profileOf(
  file: string,
  { updates, creates, superseded }: SurveyCounts,
  figures: readonly ColumnFigures[],
  day: PackedDate,
): Profile {
  return {
    day,
    file,
    rows: updates + creates + superseded,
    updates: updates + superseded,
    columns: figures.map(({ field, filled, sum }) => ({
      field,
      filled,
      ...(sum === undefined ? {} : { sum: writeSum(sum) }),
    })),
  };
}

/** Compares one aspect of a file; `before` are the profiles of the files before it, the oldest first. */
type LookAtAspect = (file: Profile, before: readonly Profile[]) => readonly Drift[];

/** So many files count: about four months of nightly files. */
const RECENT = 120;
/** Fewer earlier files than this prove nothing. */
const LEAST_BEFORE = 3;

/**
 * True if a file is unlike all before it in an aspect; once it was sent, it is one of those that the next file is compared with, so
 * that each change is reported once. `isLike` compares with one file, and returns `undefined` if that file says nothing.
 */
function isUnlikeAll(before: readonly Profile[], isLike: (one: Profile) => boolean | undefined): boolean {
  const answers = before.map(isLike).filter((like) => like !== undefined);
  return answers.length >= LEAST_BEFORE && !answers.includes(true);
}

/** A file with five times fewer or more rows than usual is reported; the end of a month brings three times more. */
const ROWS_FACTOR = 5;
/** Two numbers of rows are alike if they differ by less than this factor. */
const LIKE = 1.5;
/** So few rows more or less prove nothing. */
const FEW_ROWS = 10;

/** Far fewer rows than usual and than in any file before, or far more. */
const lookAtRows: LookAtAspect = (file, before) => {
  const { rows } = file;
  const sizes = before.map((one) => one.rows).toSorted((one, other) => one - other);
  const usual = sizes[Math.floor((sizes.length - 1) / 2)]!;
  const isFewer =
    ROWS_FACTOR * (rows + FEW_ROWS) < usual + FEW_ROWS &&
    isUnlikeAll(before, (one) => one.rows + FEW_ROWS <= LIKE * (rows + FEW_ROWS));
  const isMore =
    rows > ROWS_FACTOR * (usual + FEW_ROWS) && isUnlikeAll(before, (one) => one.rows * LIKE >= rows);
  const text = `rows ${showInteger(usual)} -> ${showInteger(rows)}`;
  return isFewer || isMore ? [{ aspect: "rows", text, before: usual, now: rows }] : [];
};

/** Fewer rows than this may be of one kind by chance. */
const LEAST_ROWS = 20;
const KINDS_FACTOR = 4;
/** A kind with less than this share of the rows comes and goes. */
const MANY = 0.25;

/** Updates where there used to be creates, and creates where there used to be updates. */
const lookAtKinds: LookAtAspect = (file, before) => {
  if (file.rows < LEAST_ROWS) return [];
  const share = file.updates / file.rows;
  const isDrift = isUnlikeAll(before, (one) => {
    if (one.rows < LEAST_ROWS) return undefined;
    const other = one.updates / one.rows;
    return !hasTurned(share, other) && !hasTurned(other, share);
  });
  if (!isDrift) return [];
  const last = before.findLast(({ rows }) => rows >= LEAST_ROWS)!;
  return [
    {
      aspect: "updates",
      text: `${showKinds(last)} -> ${showKinds(file)}`,
      before: last.updates,
      now: file.updates,
    },
  ];
};

/** True if one of the kinds makes up much of one file and next to nothing of the other. */
function hasTurned(share: number, other: number): boolean {
  const isUpdates = share > MANY && share > KINDS_FACTOR * other;
  return isUpdates || (1 - share > MANY && 1 - share > KINDS_FACTOR * (1 - other));
}

function showKinds({ rows, updates }: Profile): string {
  return `updates ${showInteger(updates)} and creates ${showInteger(rows - updates)}`;
}

/** Columns that all files had and that are gone: no header names them, and no record of a JSON file has them. */
const lookAtColumns: LookAtAspect = (file, before) => {
  const fields = before[0]!.columns.map(({ field }) => field);
  const gone = fields.filter(
    (field) => !hasField(file, field) && before.every((one) => hasField(one, field)),
  );
  return gone.map((field) => ({
    aspect: `columns:${field}`,
    text: `the column of ${showText(field)} is gone, which all of the last ${before.length} files had`,
    before: before.length,
    now: 0,
  }));
};

function hasField({ columns }: Profile, field: string): boolean {
  return columns.some((column) => column.field === field);
}

/** Confusing whole units with cents makes a factor of 100 or 1000; a large invoice in a file of many makes less. */
const SUM_FACTOR = 30;
/** One large amount among fewer moves their mean too far. */
const LEAST_AMOUNTS = 20;

/** Sums that are far larger or smaller, for their number of amounts, than before. */
const lookAtSums: LookAtAspect = (file, before) => {
  return file.columns.flatMap((column): Drift[] => {
    const mean = meanOf(column);
    if (mean === undefined) return [];
    const of = (one: Profile): ProfiledColumn | undefined =>
      one.columns.find(({ field }) => field === column.field);
    const isDrift = isUnlikeAll(before, (one) => {
      const other = meanOf(of(one));
      if (other === undefined || other === 0) return undefined;
      return mean <= SUM_FACTOR * other && mean * SUM_FACTOR >= other;
    });
    if (!isDrift) return [];
    const last = of(before.findLast((one) => (meanOf(of(one)) ?? 0) > 0)!)!;
    const text = `the sum of ${showText(column.field)} is ${showSum(last)} -> ${showSum(column)}`;
    return [{ aspect: `sum:${column.field}`, text, before: last.sum, now: column.sum }];
  });
};

/** The mean amount without its sign; `undefined` if there are too few. */
function meanOf(column: ProfiledColumn | undefined): number | undefined {
  if (column?.sum === undefined || column.filled < LEAST_AMOUNTS) return undefined;
  return Math.abs(Number(column.sum)) / column.filled;
}

function showSum({ sum, filled }: ProfiledColumn): string {
  return `${sum} in ${showCount(filled, "row")}`;
}

const ASPECTS = [lookAtRows, lookAtColumns, lookAtKinds, lookAtSums];

/** How a file is unlike all before it (oldest first); finds nothing before the fourth file. */
export function findDrift(file: Profile, before: readonly Profile[]): readonly Drift[] {
  const recent = before.slice(-RECENT);
  return recent.length < LEAST_BEFORE ? [] : ASPECTS.flatMap((lookAt) => lookAt(file, recent));
}

/** The rule for a file that is unlike those before it; with `accept` this one is as usual. */
export type DriftRule = "off" | "note" | "stop" | "accept";
