import { boundMatching } from "../fields/record/bound-matching.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import type { InspectionSoFar } from "../read/inspect-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { Slice } from "../read/slice.ts";
import type { Source } from "../read/source/source.ts";
import { ChunkBuilder } from "./chunk-builder.ts";
import {
  headBytes,
  unpackChunk,
  type Allocate,
  type PackedChunk,
  type PreparedChunk,
} from "./packed-chunk.ts";

/** An input whose records are to be made. */
export interface PlannedInput {
  readonly source: Source;
  readonly inspection: InspectionSoFar;
  readonly plan: FieldPlan;
  /** Only these rows are wanted; read alone if that is possible. */
  readonly part?: Slice & { readonly isAlone: boolean };
}

/** How the rows of an input are read and judged a second time. Plain data except for the plan. */
export interface PrepareOptions {
  readonly read: ReadOptions;
  /** True if only creates are wanted: rows that are updates at first sight are then in no list. */
  readonly createsOnly?: boolean;
}

/**
 * The second pass over an input: its rows as records ready to send, chunk by chunk in file order. Throws an input error
 * if the source is no longer what was inspected.
 */
export async function* prepareRecords(
  input: PlannedInput,
  options: PrepareOptions,
): AsyncGenerator<PreparedChunk> {
  for await (const { layout, bytes } of packRecords(input, options, (size) => Buffer.allocUnsafeSlow(size))) {
    yield unpackChunk(layout, bytes, bytes.subarray(headBytes(layout)));
  }
}

/** The same as packed bytes, in the buffers that `allocate` returns. */
export async function* packRecords(
  { source, inspection, plan, part }: PlannedInput,
  { read, createsOnly = false }: PrepareOptions,
  allocate: Allocate,
): AsyncGenerator<PackedChunk> {
  const builder = new ChunkBuilder(plan, createsOnly);
  const isBounded = plan.fields.some(({ isChecked }) => isChecked);
  const slice = part?.isAlone === true ? part : undefined;
  for await (const chunk of readRows(source, inspection, read, slice)) {
    const build = (): PackedChunk => builder.build(chunk, allocate);
    const packed = isBounded ? boundMatching(build) : build();
    chunk.rows.release();
    yield packed;
  }
}
