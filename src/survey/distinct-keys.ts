import type { SurveyCounts } from "../model/event.ts";

/**
 * True if the survey is certain that no key occurs in two rows. It may report too many repeats by chance, never too
 * few.
 */
export function hasDistinctKeys(counts: SurveyCounts): boolean {
  return counts.repeatedKeys === 0 && !counts.repeatedKeysBounded;
}
