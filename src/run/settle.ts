import { settlementOf } from "../finish/outcome-log.ts";
import { describeRefusal } from "../finish/rejection.ts";
import type { OpenRun } from "../journal/open-run.ts";
import type { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import type { RowBooks } from "./note-chunk.ts";
import type { Tally } from "./tally.ts";

interface SettlingBooks extends RowBooks {
  readonly tally: Tally;
}

/**
 * The only reader of outcomes: it passes them to journal, rejects, counts, results and events, which get what the
 * journal holds. Throws after that if the journal takes nothing more.
 */
export async function settle(
  settled: Settled,
  { at, file, run }: { readonly at: number; readonly file: string; readonly run: OpenRun | undefined },
  books: SettlingBooks,
): Promise<void> {
  let told = settled;
  let stop: RecPushError | undefined;
  try {
    if (run !== undefined) ({ told, stop } = await run.settle(settled));
  } finally {
    await note(told, { at, file, isKept: run !== undefined }, books);
  }
  if (stop !== undefined) throw stop;
}

async function note(
  settled: Settled,
  { at, file, isKept }: { readonly at: number; readonly file: string; readonly isKept: boolean },
  { tally, verdicts, doubts, outcomes, rows, emit }: SettlingBooks,
): Promise<void> {
  const { records, outcome } = settled;
  tally.settle(file, settled);
  // Only results ask for what this command settled.
  if (rows !== undefined) outcomes.add(at, settlementOf(settled));
  emit({ kind: "settled", file, settled });
  if (outcome === "accepted") verdicts.addAccepted(at, records);
  for (const record of outcome === "accepted" ? [] : records) {
    if (outcome === "inDoubt" && isKept) doubts.addInDoubt(at, record, settled);
    if (outcome !== "refused") continue;
    verdicts.addRefused(at, record, settled);
    emit({ kind: "reject", file, problem: { line: record.line, reason: describeRefusal(settled) } });
  }
  await outcomes.settle();
  await verdicts.settle();
  await doubts.settle();
}
