import { describe, expect, it } from "vitest";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import { type SelectedChunk, stream, type StreamOptions } from "../../src/prepare/stream.ts";
import type { SurveyedInput } from "../../src/survey/survey-input.ts";
import { emptyRecord as record, toRecords } from "../support/to-record.ts";

function chunkOf(records: readonly PreparedRecord[], more: Partial<PreparedChunk> = {}): PreparedChunk {
  return { records: toRecords(records), rejected: [], empty: [], ...more };
}

async function* inOrder(chunks: readonly PreparedChunk[]): AsyncGenerator<PreparedChunk> {
  yield* chunks;
  await Promise.resolve();
}

async function select(
  chunks: readonly PreparedChunk[],
  options: Omit<StreamOptions, "read">,
  repeated?: Pick<NonNullable<SurveyedInput["repeated"]>, "isMarked">,
): Promise<SelectedChunk[]> {
  const selected: SelectedChunk[] = [];
  const input = { repeated } as unknown as SurveyedInput;
  for await (const chunk of stream(input, { chunks: inOrder(chunks), read: {}, ...options }))
    selected.push(chunk);
  return selected;
}

const CHUNKS = [
  chunkOf([record(2, "A"), record(3), record(4, "B"), record(5, "A")]),
  chunkOf([record(6), record(7, "C"), record(8)]),
];

/** Line and ordinal of the records to be sent; those left out with the reason. */
function shown(chunks: readonly SelectedChunk[]): unknown {
  return {
    sent: chunks.flatMap(({ records }) => records.map(({ line, ordinal }) => `${line}:${ordinal}`)).join(" "),
    leftOut: chunks
      .flatMap(({ leftOut }) => leftOut.map(({ record, why }) => `${record.line}:${why}`))
      .join(" "),
    rejected: chunks.flatMap(({ rejected }) => rejected.map(({ line }) => line)),
  };
}

describe("records that are selected", () => {
  it("are numbered over all chunks, updates and creates each by themselves", async () => {
    const sent = "2:0 3:0 4:1 5:2 6:1 7:3 8:2";
    expect(shown(await select(CHUNKS, {}))).toEqual({ sent, leftOut: "", rejected: [] });
  });

  it("have the numbers that they had in the process before, whatever is left out", async () => {
    const repeated = { isMarked: (update: number) => update === 0 };
    const states = {
      standingOf: (kind: string, ordinal: number) =>
        ordinal === (kind === "update" ? 1 : 0) ? "accepted" : undefined,
    };
    const leftOut = "2:repeated 3:settled 5:settled";
    const expected = { sent: "4:0 6:1 7:2 8:2", leftOut, rejected: [] };
    expect(shown(await select(CHUNKS, { states }, repeated))).toEqual(expected);
  });

  it("are no creates that an earlier run of the content created", async () => {
    const expected = { sent: "2:0 4:1 5:2 7:3", leftOut: "3:created 6:created 8:created" };
    expect(shown(await select(CHUNKS, { leavesCreatesOut: true }))).toMatchObject(expected);
  });
});
