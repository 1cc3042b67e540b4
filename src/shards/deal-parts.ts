import { type SelectedChunk, stream, type StreamOptions } from "../prepare/stream.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { openContent } from "../read/read-rows.ts";
import { ContentCursor } from "../read/text/content-cursor.ts";
import { partitionOf } from "../store/spill.ts";
import { PartWriter } from "./part-file.ts";
import { type PartCounts, placesOf, type PlannedPart } from "./shard-plan.ts";

/** Seeds the hash of keys, so that a shard's keys are not those of one partition on disk. */
const SEED = 11;
/** So much is held for all parts together before it is written. */
const MOST_HELD_BYTES = 8 * 1024 * 1024;

/** How an input is dealt. */
interface Dealing {
  /** The plan's directory. */
  readonly directory: string;
  readonly shards: number;
  readonly read: StreamOptions["read"];
  /** `undefined` if no create is left out. */
  readonly whyLeftOut: StreamOptions["whyLeftOut"];
  readonly stop: () => void;
}

/**
 * Writes an input as parts, in one pass: rows with a key go to the shard of that key, so that they keep their order, and the
 * others to the shard of their place in the file. Throws what node:fs throws.
 */
export async function dealParts(
  input: SurveyedInput,
  at: number,
  dealing: Dealing,
): Promise<readonly PlannedPart[]> {
  const { directory, shards, read, whyLeftOut, stop } = dealing;
  const { source, inspection, report } = input;
  const { totalBytes } = inspection.proof;
  const cursor = new ContentCursor(openContent(source, inspection));
  try {
    const above = (await cursor.read(0, inspection.places.dataStart)).toString();
    const { part } = placesOf(directory);
    const parts = Array.from({ length: shards }, (_, index) => new PartWriter(part(at, index + 1), above));
    const partOf = (start: number, key?: string): PartWriter =>
      parts[key === undefined ? Math.floor((start * shards) / totalBytes) : partitionOf(key, shards, SEED)]!;
    for await (const chunk of stream(input, { read, whyLeftOut })) {
      stop();
      await dealRows(chunk, cursor, partOf);
      if (parts.reduce((sum, { heldBytes }) => sum + heldBytes, 0) > MOST_HELD_BYTES)
        for (const part of parts) if (part.heldBytes > 0) await part.flush();
    }
    const planned: PlannedPart[] = [];
    for (const part of parts) planned.push(await part.finish());
    refuseOthers(planned, report.counts);
    return planned;
  } finally {
    await cursor.close();
  }
}

async function dealRows(
  { records, rejected, empty, leftOut }: SelectedChunk,
  cursor: ContentCursor,
  partOf: (start: number, key?: string) => PartWriter,
): Promise<void> {
  for (const { start } of empty) partOf(start).skip();
  for (const { record } of leftOut) partOf(record.rowStart, record.key).skip();
  const first = Math.min(records.at(0)?.rowStart ?? Infinity, rejected[0]?.start ?? Infinity);
  if (first === Infinity) return;
  const last = Math.max(records.at(-1)?.rowEnd ?? 0, rejected.at(-1)?.end ?? 0);
  const text = await cursor.read(first, last);
  const reject = (row: (typeof rejected)[number]): void =>
    partOf(row.start, row.key).addRejected(row, text.subarray(row.start - first, row.end - first));
  let next = 0;
  for (const { of, from, to } of records.stretches) {
    for (let index = from; index < to; index++) {
      const start = of.rowStart(index);
      for (; next < rejected.length && rejected[next]!.start < start; next++) reject(rejected[next]!);
      const row = text.subarray(start - first, of.rowEnd(index) - first);
      partOf(start, of.key(index)).addRecord(of, index, row);
    }
  }
  for (; next < rejected.length; next++) reject(rejected[next]!);
}

/** Throws unless these are as many rows as the survey counted: else the plan would lose some. */
function refuseOthers(parts: readonly PlannedPart[], counts: SurveyedInput["report"]["counts"]): void {
  const sum = (name: keyof PartCounts): number => parts.reduce((all, part) => all + part[name], 0);
  const found = [sum("rows"), sum("updates"), sum("invalid")];
  const expected = [counts.rows, counts.updates, counts.invalid];
  if (found.some((number, at) => number !== expected[at]))
    throw new Error(
      `the rows dealt are not those of the survey: ${found.join(", ")} of ${expected.join(", ")}`,
    );
}
