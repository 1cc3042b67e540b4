import { showInteger } from "../model/counts.ts";
import { isUnlikeAll, type LookAtAspect, medianOf, type Profile, quantileOf } from "./sums-drift.ts";

const RECENT = 60;
/** A file with five times fewer or more rows than usual is reported; the end of a month brings three times more. */
const FACTOR = 5;
/** Two files deviate alike if their deviations differ by less than this factor. */
const LIKE = 1.5;
/** So few rows more or less prove nothing. */
const FEW = 10;

/** The number of rows that is usual: the median of the latest files; `undefined` before the first. */
export function usualRows(before: readonly Profile[]): number | undefined {
  const examples = examplesOf(before).slice(-RECENT);
  return examples.length === 0 ? undefined : medianOf(examples.map(({ rows }) => rows));
}

/** Far fewer rows than usual and than in any file before, or far more. */
export const lookAtRows: LookAtAspect = (file, before) => {
  const { rows } = file;
  const usual = usualRows(before);
  if (usual === undefined) return [];
  const share = shareOf(rows, usual);
  const isFewer = share * FACTOR < 1 && isUnlikeAll(before, "rows", (one) => usualShare(one) <= share * LIKE);
  const most = Math.max(usual, mostOf(before));
  const isMore =
    rows > FACTOR * (most + FEW) && isUnlikeAll(before, "rows", (one) => one.rows * LIKE >= rows);
  const from = isMore ? most : usual;
  const text = `rows ${showInteger(from)} -> ${showInteger(rows)}`;
  return isFewer || isMore ? [{ aspect: "rows", text, before: from, now: rows }] : [];
};

/** The rows of a file as a share of those that were usual then. */
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
