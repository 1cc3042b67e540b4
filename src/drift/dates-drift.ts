import { dayNumber, formatDate } from "../fields/date/calendar.ts";
import { showCount } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import {
  LEAST_BEFORE,
  isUnlikeAll,
  medianOf,
  quantileOf,
  type Drift,
  type LookAtAspect,
} from "./drift-aspect.ts";
import type { FreshProfile } from "./profile.ts";

/** Because of holidays a file may be this many days older than any before. */
const HOLIDAYS = 7;
/** The rest of many files may have been pushed late, or with a clock that was wrong. */
const MOST = 0.95;

/** Dates that end long before the push, although those of earlier files ended shortly before theirs. */
export const lookAtDates: LookAtAspect = (file, before) =>
  file.columns.flatMap(({ field, dates }): Drift[] => {
    const age = ageOf(file, field);
    if (dates === undefined || age === undefined) return [];
    const aspect = `dates:${field}`;
    const usual = before
      .filter(({ told }) => !told.includes(aspect))
      .flatMap((one) => ageOf(one, field) ?? []);
    if (usual.length < LEAST_BEFORE) return [];
    const most = quantileOf(usual, usual.length < 20 ? 1 : MOST);
    const isLate = age > most + HOLIDAYS + (most - medianOf(usual));
    const isDrift =
      isLate &&
      isUnlikeAll(before, aspect, (one) => {
        const other = ageOf(one, field);
        return other === undefined ? undefined : other >= age - HOLIDAYS;
      });
    const text = `the dates of ${showText(field)} end ${formatDate(dates[1])}, ${showCount(age, "day")} before the push (before: ${showCount(Math.max(0, most), "day")} at most)`;
    return isDrift ? [{ aspect, text, before: most, now: age }] : [];
  });

/** The days from the last date of a column to the push; negative for dates in the future. */
function ageOf({ day, columns }: FreshProfile, field: string): number | undefined {
  const dates = columns.find((column) => column.field === field)?.dates;
  return dates && dayNumber(day) - dayNumber(dates[1]);
}
