import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import type { RowChunk, RowProblem } from "../../src/model/rows.ts";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import { type PreparedChunk, unpackChunk } from "../../src/prepare/packed-chunk.ts";
import { ChunkBuilder } from "../../src/prepare/prepare-records.ts";

/** Returns a function that makes the records of one chunk after the other; `isCareful`: reads each row with care. */
export function recordsMaker(
  plan: FieldPlan,
  createsOnly = false,
  isCareful = false,
): (chunk: RowChunk) => PreparedChunk {
  const builder = new ChunkBuilder(plan, createsOnly, isCareful);
  return (chunk) => unpackChunk(builder.build(chunk));
}

/** The results of all chunks together. */
export interface MadeRecords extends Omit<PreparedChunk, "records"> {
  readonly records: readonly PreparedRecord[];
  readonly problems: readonly RowProblem[];
}

/** Makes the records of chunks as a push does. */
export function makeRecords(plan: FieldPlan, chunks: readonly RowChunk[]): MadeRecords {
  const made = chunks.map(recordsMaker(plan));
  const rejected = made.flatMap((chunk) => chunk.rejected);
  return {
    records: made.flatMap(({ records }) => [...records]),
    empty: made.flatMap(({ empty }) => empty),
    rejected,
    problems: rejected.flatMap(({ problems }) => problems),
  };
}
