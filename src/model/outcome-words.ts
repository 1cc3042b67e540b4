import type { Counts } from "./event.ts";
import type { Outcome } from "./outcome.ts";
import { showInteger } from "./quantities.ts";

/** The name of an outcome in a sentence. */
export const OUTCOME_WORDS = {
  accepted: "accepted",
  refused: "refused",
  failed: "failed",
  inDoubt: "in doubt",
  rejected: "rejected",
  notSent: "not sent",
  skipped: "skipped",
} as const;

/** How many rows became what: `5 accepted, 1 in doubt`. */
export function describeCounts(counts: Counts): string {
  return (Object.keys(OUTCOME_WORDS) as Outcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${showInteger(counts[outcome])} ${OUTCOME_WORDS[outcome]}`)
    .join(", ");
}
