import type { Settled } from "../model/outcome.ts";
import type { RecordList, Batch } from "../model/record-list.ts";
import { ownIdentity } from "../state/process-identity.ts";
import type {
  InDoubtAnswer,
  JournalEntry,
  OrdinalsByKind,
  OutcomeEntry,
  RunEnding,
  Stretch,
} from "./journal-entry.ts";
import { ordinalsOf } from "./number-ranges.ts";
import { JOURNAL_VERSION } from "./run-facts.ts";

/** A process takes a run up. */
export function beginning(): JournalEntry {
  return { entry: "begin", at: new Date().toISOString(), process: ownIdentity(), version: JOURNAL_VERSION };
}

/** What became of the records of a request. */
export function outcomeOf({ batch, kind, records, outcome, status, msg, attempts }: Settled): OutcomeEntry {
  return { entry: "outcome", ...stretchOf(batch, { kind, records }), outcome, status, msg, attempts };
}

/** What the user says of records in doubt. */
export function decisionOf(doubt: string, inDoubt: InDoubtAnswer, applied?: OrdinalsByKind): JournalEntry {
  const at = new Date().toISOString();
  return { entry: "decision", doubt, inDoubt, at, ...(applied === undefined ? {} : { applied }) };
}

/** A process ends in order. */
export function endOf(end: RunEnding): JournalEntry {
  return { entry: "end", at: new Date().toISOString(), end };
}

/** What is left of an outcome that no later process will know: a create is in doubt, an update is sent again. */
export function unwritten(settled: Settled): Settled {
  const msg = `${settled.msg} (${settled.outcome === "accepted" ? "accepted, but " : ""}the journal could not be written)`;
  return { ...settled, outcome: settled.kind === "create" ? "inDoubt" : "failed", msg };
}

/** Where the records of a request are in the run. */
export function stretchOf(
  batch: number,
  { kind, records }: { readonly kind: Batch["kind"]; readonly records: RecordList },
): Stretch {
  return {
    batch,
    kind,
    ordinals: ordinalsOf(records),
    lines: [records.at(0)?.line ?? 0, records.at(-1)?.line ?? 0],
  };
}
