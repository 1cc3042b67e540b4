import type { OutcomeLog } from "../finish/outcome-log.ts";
import type { RowLog } from "../finish/row-log.ts";
import type { VerdictLog } from "../finish/verdict-log.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { TouchedKeys } from "../journal/touched-keys.ts";
import type { RunEvent } from "../model/event.ts";
import type { SelectedChunk } from "../prepare/select.ts";
import type { NoteChunk } from "./record-feed.ts";

/** Where the rows of an input are recorded as they pass. */
export interface RowBooks {
  readonly verdicts: VerdictLog;
  /** Rows in doubt. */
  readonly doubts: VerdictLog;
  readonly outcomes: OutcomeLog;
  /** Only if results are wanted. */
  readonly rows: RowLog | undefined;
  readonly emit: (event: RunEvent) => void;
}

/** An input whose rows are noted. */
export interface NotedInput {
  readonly at: number;
  readonly file: string;
  /** False if an invalid row stops the run, so that it is mended in the file itself. */
  readonly leavesInvalidOut: boolean;
  readonly account: RunAccount | undefined;
  /** Records the keys that are sent, while an older run is open. */
  readonly touched: TouchedKeys | undefined;
}

/** Makes the function that records the rows of one input: their counts, the rejects, and each row for the results. */
export function noteChunksOf(
  { at, file, leavesInvalidOut, account, touched }: NotedInput,
  { verdicts, doubts, outcomes, rows, emit }: RowBooks,
): NoteChunk {
  async function noteSettled({ leftOut }: SelectedChunk): Promise<void> {
    for (const { record, why } of leftOut) {
      if (why !== "settled") continue;
      const { kind } = record;
      const standing = account?.standingOf(kind, record.ordinal);
      const outcome = await outcomes.find(at, kind, record.ordinal);
      if (standing === "accepted") verdicts.addAccepted(at, [record]);
      else if (standing === "refused" && outcome !== undefined) verdicts.addRefused(at, record, outcome);
      const batch = account?.batchInDoubt(kind, record.ordinal);
      if (standing !== "inDoubt" || batch === undefined) continue;
      doubts.addInDoubt(at, record, { batch, msg: outcome?.batch === batch ? outcome.msg : undefined });
    }
  }

  return async (chunk, isSent) => {
    await rows?.add(at, chunk);
    await noteSettled(chunk);
    for (const rejected of chunk.rejected) {
      if (leavesInvalidOut) verdicts.addRejected(at, rejected);
      for (const problem of rejected.problems) emit({ kind: "reject", file, problem });
    }
    await verdicts.settle();
    await doubts.settle();
    if (isSent && touched !== undefined)
      await touched.add(chunk.records.map(({ key }) => key).filter((key) => key !== undefined));
  };
}
