import { settlementOf } from "../finish/outcome-log.ts";
import { describeRefusal } from "../finish/rejection.ts";
import type { OpenRun } from "../journal/open-run.ts";
import type { Settled } from "../model/outcome.ts";
import type { RowBooks } from "./note-chunk.ts";

/**
 * The only reader of outcomes: it passes them to journal, rejects, counts, results and events. If the journal cannot
 * take an outcome, throws after the others have got it.
 */
export async function settle(
  settled: Settled,
  { at, file, run }: { readonly at: number; readonly file: string; readonly run: OpenRun | undefined },
  { tally, verdicts, doubts, outcomes, emit }: RowBooks,
): Promise<void> {
  try {
    await run?.settle(settled);
  } finally {
    const { records, outcome } = settled;
    tally.settle(file, settled);
    outcomes.add(at, settlementOf(settled));
    emit({ kind: "settled", file, settled });
    if (outcome === "accepted") verdicts.addAccepted(at, records);
    for (const record of outcome === "accepted" ? [] : records) {
      if (outcome === "inDoubt" && run !== undefined) doubts.addInDoubt(at, record, settled);
      if (outcome !== "refused") continue;
      verdicts.addRefused(at, record, settled);
      emit({ kind: "reject", file, problem: { line: record.line, reason: describeRefusal(settled) } });
    }
    await outcomes.settle();
    await verdicts.settle();
    await doubts.settle();
  }
}
