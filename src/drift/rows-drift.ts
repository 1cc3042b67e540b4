import { dayNumber, packDate } from "../fields/date/calendar.ts";
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
  const isFew = share * FACTOR < 1 && isUnlikeAll(before, "rows", (one) => usualShare(one) <= share * LIKE);
  const atTurn = isFew ? undefined : fewAtTurn(file, share, before);
  const isFewer = isFew || atTurn !== undefined;
  const most = Math.max(usual, mostOf(before));
  const isMore =
    rows > FACTOR * (most + FEW) && isUnlikeAll(before, "rows", (one) => one.rows * LIKE >= rows);
  const from = isMore ? most : (atTurn ?? usual);
  const text = `rows ${showInteger(from)} -> ${showInteger(rows)}`;
  return isFewer || isMore ? [{ aspect: "rows", text, before: from, now: rows }] : [];
};

/**
 * The rows of the last such day, where a file of the end or the beginning of a month has far fewer rows than each one before,
 * and these had more than an ordinary day: cut to a tenth it may still be like the file of a quiet day.
 */
function fewAtTurn({ day }: FreshProfile, share: number, before: readonly Profile[]): number | undefined {
  const turn = turnOf(day);
  if (turn === undefined) return undefined;
  const isPeer = (one: Profile): boolean => turnOf(one.day) === turn && isWeekend(one.day) === isWeekend(day);
  const peers = examplesOf(before).filter(isPeer).slice(-RECENT);
  if (peers.length < LEAST_OF_DAY) return undefined;
  const least = Math.min(...peers.map(usualShare));
  const isFew =
    least > 1 &&
    share * FACTOR < least &&
    isUnlikeAll(before, "rows", (one) => (isPeer(one) ? usualShare(one) <= share * LIKE : undefined));
  return isFew ? peers.at(-1)!.rows : undefined;
}

/** The last two days of a month, and the first one, whose file has the rows of the day before. */
function turnOf(day: number): "end" | "begin" | undefined {
  const [year, month, date] = [Math.floor(day / 10_000), Math.floor(day / 100) % 100, day % 100];
  if (date === 1) return "begin";
  return packDate(year, month, date + 2) === 0 ? "end" : undefined;
}

/** The rows of a file as a share of those that were usual for its day. */
function usualShare({ rows, usualRows = rows }: Profile): number {
  return shareOf(rows, usualRows);
}

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
