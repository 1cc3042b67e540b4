import type { Settled } from "../model/outcome.ts";
import { showCount, showLines } from "./quantities.ts";
import { showText } from "../model/visible-text.ts";

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

/** One line a batch: `update  500 rows  lines 2-501    200 Update Items OK.` */
export function describeBatch({ kind, records, outcome, status, msg, attempts }: Settled): string {
  const first = records[0]?.line ?? 0;
  const last = records.at(-1)?.line ?? first;
  const rows = showCount(records.length, "row").padStart(8);
  const lines = showLines(first, last).padEnd(19);
  const answer = status === undefined ? "no answer:" : String(status);
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const verdict = outcome === "accepted" ? "" : ` -> ${OUTCOME_WORDS[outcome]}`;
  return `${kind}  ${rows}  ${lines}  ${answer} ${showText(msg, 300)}${tries}${verdict}`;
}
