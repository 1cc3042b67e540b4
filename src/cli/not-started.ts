import type { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";

/** The ending of a command that stopped before it read anything. */
export function notStarted(failure: RecPushError): RunEnd {
  const counts = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };
  return {
    read: 0,
    counts,
    batches: 0,
    whereabouts: [],
    runs: [],
    doneRuns: [],
    openRuns: [],
    doubts: [],
    earlier: [],
    newlyChanged: 0,
    unpinned: [],
    failure,
  };
}
