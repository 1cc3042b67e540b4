import type { SurveyReport } from "../model/event.ts";

/** True where the survey is certain that no key stands in two rows. What it counts may be too many by chance, never too few. */
export function hasDistinctKeys({
  isStreamed,
  repeatedKeys,
  repeatedKeysBounded,
}: Pick<SurveyReport, "isStreamed" | "repeatedKeys" | "repeatedKeysBounded">): boolean {
  return isStreamed !== true && repeatedKeys === 0 && !repeatedKeysBounded;
}
