import { showInteger } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { isUnlikeAll, RECENT, type Drift, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile, Profile } from "./profile.ts";

/**
 * Files whose sizes differ by more than this factor may well have other columns, such as that of a month and those of
 * its days.
 */
const SIZES_APART = 3;
/** So few rows more or less say nothing about the size of a file. */
const FEW = 20;

/** Columns that are gone: no header names them, and no record of a JSON file has them. */
export const lookAtColumns: LookAtAspect = (file, before) => {
  const recent = before.slice(-RECENT);
  const fields = new Set(recent.flatMap(({ columns }) => columns.map(({ field }) => field)));
  return [...fields].flatMap((field) => (hasField(file, field) ? [] : lookAtGone(file, recent, field)));
};

function lookAtGone(file: FreshProfile, before: readonly Profile[], field: string): Drift[] {
  const aspect = `columns:${field}`;
  const isDrift = isUnlikeAll(before, aspect, (one) => {
    if (hasField(one, field)) return false;
    return isSized(one, file) ? true : undefined;
  });
  const files = before.filter((one) => hasField(one, field)).length;
  const had = files === before.length ? "all" : showInteger(files);
  const text = `the column of ${showText(field)} is gone, which ${had} of the last ${before.length} files had`;
  return isDrift ? [{ aspect, text, before: files, now: 0 }] : [];
}

function isSized(one: Profile, { rows }: FreshProfile): boolean {
  return Math.max(one.rows, rows) <= SIZES_APART * Math.min(one.rows, rows) + FEW;
}

function hasField({ columns }: FreshProfile, field: string): boolean {
  return columns.some((column) => column.field === field);
}
