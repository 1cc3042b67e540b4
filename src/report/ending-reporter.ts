import type { Settled } from "../model/decimal-of.ts";
import { EXIT } from "../model/exit-code.ts";
import type { Reporter } from "./reporter.ts";
import { describeBatch, describeOpenRuns, describeSummary } from "./summary-lines.ts";
import type { Tell } from "./terminal-lines.ts";

/** How many different reasons for batches that failed or are in doubt are shown; the others are left to the events. */
const MAX_REASONS = 20;

/**
 * How a run ended, for people, in addition to events for programs: each reason why a batch failed or is in doubt, once,
 * and the closing lines; if all went well, only the runs that are still open.
 */
export function createEndingReporter(tell: Tell, isCheck: boolean): Reporter {
  const reasons = new Set<string>();
  let isTold = false;

  // Refused records are rejects, and are reported as such.
  function tellReason(settled: Settled): void {
    if (settled.outcome !== "failed" && settled.outcome !== "inDoubt") return;
    const reason = `${settled.outcome} ${settled.status} ${settled.msg}`;
    if (reasons.has(reason) || reasons.size === MAX_REASONS) return;
    reasons.add(reason);
    tell([describeBatch(settled)]);
  }

  return {
    emit(event) {
      if (event.kind === "settled") tellReason(event.settled);
      if (event.kind !== "summary") return;
      const { summary } = event;
      // If no run began, the error has said everything.
      if (summary.run === "") return;
      const isGood = summary.exitCode === EXIT.ok;
      tell(isGood ? describeOpenRuns(summary) : describeSummary(summary, { isCheck, isTold }));
    },
    fail: () => void (isTold = true),
    close: () => undefined,
  };
}
