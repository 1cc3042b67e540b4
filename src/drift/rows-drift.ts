import { dayNumber } from "../fields/date/calendar.ts";
import { showInteger } from "../model/quantities.ts";
import { isUnlikeAll, medianOf, quantileOf, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile, Profile } from "./profile.ts";

const RECENT = 60;
/** With so many of the same day of the week, only these count: weekends are unlike other days. */
const LEAST_OF_DAY = 3;
const MOST_OF_DAY = 8;
const LEAST_OF_KIND = 2;
/** A file with five times fewer or more rows than usual is looked at; a month's end has three times more. */
const FACTOR = 5;
/** Files that differ from the usual by less than half as much again differ alike. */
const LIKE = 1.5;
/** A few rows more or less are no share of anything. */
const FEW = 10;

/** The rows that are usual for the day of a file: the median of the last ones on that day of the week, or of all. */
export function usualRows({ day }: FreshProfile, before: readonly Profile[]): number | undefined {
  const examples = examplesOf(before);
  const sameDay = examples.filter((one) => weekday(one.day) === weekday(day)).slice(-MOST_OF_DAY);
  const sameKind = examples.filter((one) => isWeekend(one.day) === isWeekend(day)).slice(-RECENT);
  const peers =
    sameDay.length >= LEAST_OF_DAY ? sameDay : sameKind.length >= LEAST_OF_KIND ? sameKind : examples;
  return peers.length === 0 ? undefined : medianOf(peers.map(({ rows }) => rows));
}

/** Far fewer rows than are usual for the day, or far more than any file had and than those of any day have. */
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

/** After a month of few rows the days of before count too. */
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

/** 0 is a Sunday. */
function weekday(day: number): number {
  return (((dayNumber(day) + 4) % 7) + 7) % 7;
}
