import { OUTCOME_WORDS } from "../model/outcome-words.ts";
import type { Settled } from "../model/outcome.ts";
import { showCount, showLines } from "../model/quantities.ts";
import { showText } from "../model/visible-text.ts";

/** Batches of one file with the same kind, outcome and answer. */
export interface Stretch {
  readonly about: Pick<Settled, "kind" | "outcome" | "status" | "msg">;
  readonly batches: number;
  readonly rows: number;
  readonly attempts: number;
  /** The lowest and the highest line; rows between them may have another outcome. */
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The stretch of one batch. */
export function stretchOf(settled: Settled): Stretch {
  const { records, attempts, kind, outcome, status, msg } = settled;
  const firstLine = records.at(0)?.line ?? 0;
  const lastLine = records.at(-1)?.line ?? firstLine;
  return {
    about: { kind, outcome, status, msg },
    batches: 1,
    rows: records.length,
    attempts,
    firstLine,
    lastLine,
  };
}

/** One line per stretch: `update  300,000 rows  lines 2-300001  600 batches  200 Update Items OK.` */
export function describeStretch({ about, batches, rows, attempts, firstLine, lastLine }: Stretch): string {
  const isOne = batches === 1;
  const count = showCount(rows, "row").padStart(isOne ? 8 : 12);
  const lines = showLines(firstLine, lastLine).padEnd(isOne ? 19 : 14);
  const requests = isOne ? "" : `${showCount(batches, "batch")}  `;
  const answer = about.status === undefined ? "no answer:" : String(about.status);
  const tries = attempts > batches ? ` (${showCount(attempts, "attempt")})` : "";
  const verdict = about.outcome === "accepted" ? "" : ` -> ${OUTCOME_WORDS[about.outcome]}`;
  return `${about.kind}  ${count}  ${lines}  ${requests}${answer} ${showText(about.msg, 300)}${tries}${verdict}`;
}

/** One line per batch: `update  500 rows  lines 2-501    200 Update Items OK.` */
export function describeBatch(settled: Settled): string {
  return describeStretch(stretchOf(settled));
}
