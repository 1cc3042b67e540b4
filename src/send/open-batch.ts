import { type ChunkRecords, RecordList } from "../model/record-list.ts";

/** The most that a batch may hold. What is learnt while sending may lower it. */
export interface BatchLimits {
  readonly maxRecords: number;
  /** Size of the body's JSON text in UTF-8, envelope and commas included. */
  readonly maxBytes: number;
  /** Bytes of the body around the records: 2 for a bare array. */
  readonly envelopeBytes: number;
}

/** A batch that is being filled. */
export interface OpenBatch {
  readonly records: RecordList;
  /** Size of the whole body. */
  bytes: number;
}

/** An empty batch. */
export function openBatch({ envelopeBytes }: BatchLimits): OpenBatch {
  return { records: new RecordList(), bytes: envelopeBytes };
}

/** True if the record may join; a record that is too large by itself fits only into an empty batch. */
export function hasRoom(batch: OpenBatch, bytes: number, limits: BatchLimits): boolean {
  const { length } = batch.records;
  return length === 0 || (length < limits.maxRecords && batch.bytes + 1 + bytes <= limits.maxBytes);
}

export function addRecord(batch: OpenBatch, of: ChunkRecords, index: number): void {
  batch.bytes += of.bytes(index) + (batch.records.length === 0 ? 0 : 1);
  batch.records.add(of, index);
}
