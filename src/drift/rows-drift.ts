import { dayNumber } from "../fields/date/calendar.ts";
import { showInteger } from "../model/quantities.ts";
import { isUnlikeAll, medianOf, quantileOf, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile, Profile } from "./profile.ts";

const RECENT = 60;
/** With this many files from the same day of the week, only these count, because weekends differ from other days. */
const LEAST_OF_DAY = 3;
const MOST_OF_DAY = 8;
const LEAST_OF_KIND = 2;
/** A file with five times fewer or more rows than usual is reported; the end of a month brings three times more. */
const FACTOR = 5;
/** Two files deviate alike if their deviations differ by less than this factor. */
const LIKE = 1.5;
/** So few rows more or less prove nothing. */
const FEW = 10;

/**
 * The number of rows that is usual for the day of a file: the median of the latest ones from that day of the week, or
 * of all.
 */
export function usualRows({ day }: FreshProfile, before: readonly Profile[]): number | undefined {
  const examples = examplesOf(before);
  const sameDay = examples.filter((one) => weekday(one.day) === weekday(day)).slice(-MOST_OF_DAY);
  const sameKind = examples.filter((one) => isWeekend(one.day) === isWeekend(day)).slice(-RECENT);
  const peers =
    sameDay.length >= LEAST_OF_DAY ? sameDay : sameKind.length >= LEAST_OF_KIND ? sameKind : examples;
  return peers.length === 0 ? undefined : medianOf(peers.map(({ rows }) => rows));
}

/** Far fewer rows than usual for the day, or far more than in any file before and than usual for any day. */
export const lookAtRows: LookAtAspect = (file, before) => {
  const { rows } = file;
  const usual = usualRows(file, before);
  if (usual === undefined) return [];
  const share = shareOf(rows, usual);
  const isFewer =
    share * FACTOR < 1 &&
    isUnlikeAll(before, "rows", (one) => shareOf(one.rows, one.usualRows ?? one.rows) <= share * LIKE);
  const most = Math.max(usual, mostOf(before));
  const isMore =
    rows > FACTOR * (most + FEW) && isUnlikeAll(before, "rows", (one) => one.rows * LIKE >= rows);
  const from = isMore ? most : usual;
  const text = `rows ${showInteger(from)} -> ${showInteger(rows)}`;
  return isFewer || isMore ? [{ aspect: "rows", text, before: from, now: rows }] : [];
};

/** After a month of few rows, earlier days count too. */
function mostOf(before: readonly Profile[]): number {
  return quantileOf(
    examplesOf(before)
      .slice(-RECENT)
      .map(({ rows }) => rows),
    0.8,
  );
}

function examplesOf(before: readonly Profile[]): readonly Profile[] {
  return before.filter(({ told }) => !told.includes("rows"));
}

function shareOf(rows: number, usual: number): number {
  return (rows + FEW) / (usual + FEW);
}

function isWeekend(day: number): boolean {
  return weekday(day) % 6 === 0;
}

/** The day of the week; 0 is Sunday. */
function weekday(day: number): number {
  return (((dayNumber(day) + 4) % 7) + 7) % 7;
}
