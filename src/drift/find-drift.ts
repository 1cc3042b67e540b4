import { showInteger } from "../model/counts.ts";
import { showText } from "../model/text.ts";
import { lookAtRows } from "./rows-drift.ts";
import {
  type Drift,
  type FreshProfile,
  isUnlikeAll,
  lastExample,
  LEAST_BEFORE,
  type LookAtAspect,
  lookAtSums,
  type Profile,
  RECENT,
} from "./sums-drift.ts";

/** Fewer rows than this may be of one kind by chance. */
const LEAST_ROWS = 20;
const FACTOR = 4;
/** A kind with less than this share of the rows comes and goes. */
const MANY = 0.25;

/** Updates where there used to be creates, and creates where there used to be updates. */
const lookAtKinds: LookAtAspect = (file, before) => {
  if (file.rows < LEAST_ROWS) return [];
  const recent = before.slice(-RECENT);
  const share = file.updates / file.rows;
  const isDrift = isUnlikeAll(recent, "updates", (one) => {
    if (one.rows < LEAST_ROWS) return undefined;
    const other = one.updates / one.rows;
    return !hasTurned(share, other) && !hasTurned(other, share);
  });
  if (!isDrift) return [];
  const last = lastExample(
    recent.filter(({ rows }) => rows >= LEAST_ROWS),
    "updates",
  );
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
  const isUpdates = share > MANY && share > FACTOR * other;
  return isUpdates || (1 - share > MANY && 1 - share > FACTOR * (1 - other));
}

function showKinds({ rows, updates }: FreshProfile): string {
  return `updates ${showInteger(updates)} and creates ${showInteger(rows - updates)}`;
}

/**
 * Files whose sizes differ by more than this factor may well have other columns, such as that of a month and those of
 * its days.
 */
const SIZES_APART = 3;
/** So few rows more or less say nothing about the size of a file. */
const FEW = 20;

/** Columns that are gone: no header names them, and no record of a JSON file has them. */
const lookAtColumns: LookAtAspect = (file, before) => {
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

const ASPECTS = [lookAtRows, lookAtColumns, lookAtKinds, lookAtSums];

/** How a file is unlike all before it (oldest first); finds nothing before the fourth file. */
export function findDrift(file: FreshProfile, before: readonly Profile[]): readonly Drift[] {
  return before.length < LEAST_BEFORE ? [] : ASPECTS.flatMap((lookAt) => lookAt(file, before));
}

/**
 * What becomes of a file that is unlike those before it; with `accept` the files of this command count as usual from now on.
 */
export type DriftRule = "off" | "note" | "stop" | "accept";
