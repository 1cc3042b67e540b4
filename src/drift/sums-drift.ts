import { showCount } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";
import { isUnlikeAll, lastExample, RECENT, type Drift, type LookAtAspect } from "./drift-aspect.ts";
import type { FreshProfile, ProfiledColumn } from "./profile.ts";

/** Confusing whole units with cents makes a factor of 100 or 1000; a large invoice in a small file makes less. */
const FACTOR = 30;
const FACTOR_OF_FEW = 300;
const FEW = 20;

/** Sums that are far larger or smaller, for their number of amounts, than before. */
export const lookAtSums: LookAtAspect = (file, before) => {
  const recent = before.slice(-RECENT);
  return file.columns.flatMap((column): Drift[] => {
    const mean = meanOf(column);
    if (mean === undefined) return [];
    const aspect = `sum:${column.field}`;
    const of = (one: FreshProfile): ProfiledColumn | undefined =>
      one.columns.find(({ field }) => field === column.field);
    const isDrift = isUnlikeAll(recent, aspect, (one) => {
      const other = meanOf(of(one));
      if (other === undefined || other === 0) return undefined;
      const isFew = Math.min(column.filled, of(one)!.filled) < FEW;
      const factor = isFew ? FACTOR_OF_FEW : FACTOR;
      return mean <= factor * other && mean * factor >= other;
    });
    if (!isDrift) return [];
    const examples = recent.filter((one) => (meanOf(of(one)) ?? 0) > 0);
    const last = of(lastExample(examples, aspect))!;
    const text = `the sum of ${showText(column.field)} is ${showSum(last)} -> ${showSum(column)}`;
    return [{ aspect, text, before: last.sum, now: column.sum }];
  });
};

/** The mean amount without its sign; `undefined` if there are none. */
function meanOf(column: ProfiledColumn | undefined): number | undefined {
  if (column?.sum === undefined || column.filled === 0) return undefined;
  return Math.abs(Number(column.sum)) / column.filled;
}

function showSum({ sum, filled }: ProfiledColumn): string {
  return `${sum} in ${showCount(filled, "row")}`;
}
