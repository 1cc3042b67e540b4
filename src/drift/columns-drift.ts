import { KEY_FIELD } from "../fields/columns/known-fields.ts";
import { showInteger } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { isUnlikeAll, medianOf, RECENT, type Drift, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile, Profile } from "./profile.ts";

/**
 * Files whose sizes differ by more than this factor may well have other columns, such as that of a month and those of
 * its days.
 */
const SIZES_APART = 3;
/** Fewer missing values than this may be chance. */
const LEAST_VALUES = 20;
const FACTOR = 4;

/** Columns that are gone, and columns that have far fewer values than before. */
export const lookAtColumns: LookAtAspect = (file, before) => {
  const recent = before.slice(-RECENT);
  const fields = new Set(recent.flatMap(({ columns }) => columns.map(({ field }) => field)));
  return [...fields].flatMap((field) => {
    const isGone = file.hasHeader && fillOf(file, field) === undefined;
    if (isGone) return lookAtGone(file, recent, field);
    // Rows without a key are counted as creates elsewhere.
    return field === KEY_FIELD ? [] : lookAtFill(file, recent, field);
  });
};

function lookAtGone(file: FreshProfile, before: readonly Profile[], field: string): Drift[] {
  const aspect = `columns:${field}`;
  const isDrift = isUnlikeAll(before, aspect, (one) => {
    if (fillOf(one, field) !== undefined) return false;
    return isSized(one, file) ? true : undefined;
  });
  const files = before.filter((one) => fillOf(one, field) !== undefined).length;
  const had = files === before.length ? "all" : showInteger(files);
  const text = `the column of ${showText(field)} is gone, which ${had} of the last ${before.length} files had`;
  return isDrift ? [{ aspect, text, before: files, now: 0 }] : [];
}

function lookAtFill(file: FreshProfile, before: readonly Profile[], field: string): Drift[] {
  const aspect = `fill:${field}`;
  const share = shareFilled(file, field) ?? 0;
  const isDrift =
    file.rows >= LEAST_VALUES &&
    isUnlikeAll(before, aspect, (one) => {
      const other = shareFilled(one, field);
      return other === undefined ? undefined : other * file.rows < LEAST_VALUES || share * FACTOR >= other;
    });
  if (!isDrift) return [];
  const usual = medianOf(before.map((one) => shareFilled(one, field) ?? 0));
  const filled = showInteger(fillOf(file, field) ?? 0);
  return [
    {
      aspect,
      text: `${showText(field)} has a value in ${showPercent(usual)} -> ${showPercent(share)} of the rows (${filled})`,
      before: usual,
      now: share,
    },
  ];
}

function isSized(one: Profile, { rows }: FreshProfile): boolean {
  return Math.max(one.rows, rows) <= SIZES_APART * Math.min(one.rows, rows) + LEAST_VALUES;
}

function fillOf({ columns }: FreshProfile, field: string): number | undefined {
  return columns.find((column) => column.field === field)?.filled;
}

/** The share of rows with a value; `undefined` for a file that says nothing about it. */
function shareFilled(file: FreshProfile, field: string): number | undefined {
  const filled = fillOf(file, field);
  if (file.rows < LEAST_VALUES || (filled === undefined && file.hasHeader)) return undefined;
  return (filled ?? 0) / file.rows;
}

function showPercent(share: number): string {
  const percent = 100 * share;
  return `${percent >= 10 || percent === 0 ? Math.round(percent) : percent.toFixed(1)}%`;
}
