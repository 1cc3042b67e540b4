import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import type { RowChunk, RowProblem } from "../../src/model/rows.ts";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import { type PreparedChunk, unpackChunk } from "../../src/prepare/packed-chunk.ts";
import { ChunkBuilder } from "../../src/prepare/prepare-records.ts";
import { type SelectedChunk, type Selection, selectRecords } from "../../src/prepare/stream.ts";

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
export interface MadeRecords extends Omit<SelectedChunk, "records"> {
  readonly records: readonly PreparedRecord[];
  readonly problems: readonly RowProblem[];
}

/** Makes the records of chunks as a push does, without rows of totals. */
export async function makeRecords(
  plan: FieldPlan,
  chunks: readonly RowChunk[],
  selection: Selection = {},
): Promise<MadeRecords> {
  const make = recordsMaker(plan);
  const prepared = chunks.map((chunk) => make(chunk));
  async function* given(): AsyncGenerator<PreparedChunk> {
    yield* prepared;
    await Promise.resolve();
  }
  const selected: SelectedChunk[] = [];
  for await (const chunk of selectRecords(given(), { suspects: plan.suspects, ...selection }))
    selected.push(chunk);
  const rejected = selected.flatMap((chunk) => chunk.rejected);
  return {
    records: selected.flatMap(({ records }) => [...records]),
    leftOut: selected.flatMap(({ leftOut }) => leftOut),
    empty: selected.flatMap(({ empty }) => empty),
    rejected,
    problems: rejected.flatMap(({ problems }) => problems),
  };
}
