import { describe, expect, it } from "vitest";
import { SuspectList } from "../../src/fields/odd/suspects.ts";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import { type SelectedChunk, type Selection, selectRecords } from "../../src/prepare/stream.ts";
import { emptyRecord as record, toRecords } from "../support/to-record.ts";

function chunkOf(records: readonly PreparedRecord[], more: Partial<PreparedChunk> = {}): PreparedChunk {
  return { records: toRecords(records), rejected: [], empty: [], ...more };
}

async function* inOrder(chunks: readonly PreparedChunk[]): AsyncGenerator<PreparedChunk> {
  yield* chunks;
  await Promise.resolve();
}

async function select(chunks: readonly PreparedChunk[], selection: Selection): Promise<SelectedChunk[]> {
  const selected: SelectedChunk[] = [];
  for await (const chunk of selectRecords(inOrder(chunks), selection)) selected.push(chunk);
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
    const selection: Selection = {
      areRepeated: async (starts) => starts.map((start) => start === 20),
      isSettled: (kind, ordinal) => (kind === "update" ? ordinal === 1 : ordinal === 0),
    };
    const leftOut = "2:repeated 3:settled 5:settled";
    const expected = { sent: "4:0 6:1 7:2 8:2", leftOut, rejected: [] };
    expect(shown(await select(CHUNKS, selection))).toEqual(expected);
  });

  it("are no creates that an earlier run of the content created", async () => {
    const expected = { sent: "2:0 4:1 5:2 7:3", leftOut: "3:created 6:created 8:created" };
    expect(shown(await select(CHUNKS, { leavesCreatesOut: true }))).toMatchObject(expected);
  });

  it("are no odd rows, which are rejected without a number, or left out", async () => {
    const listed = (isSkipped: boolean): SuspectList => {
      const suspects = new SuspectList();
      for (const line of [7, 8]) suspects.add({ start: 10 * line }, "phrase", isSkipped);
      return suspects;
    };
    const selected = await select(CHUNKS, { suspects: listed(false) });
    expect(shown(selected)).toMatchObject({ rejected: [7, 8] });
    expect(selected[1]!.rejected[0]).toEqual({
      line: 7,
      start: 70,
      end: 80,
      key: undefined,
      problems: [
        { line: 7, reason: "the row looks like a total", hint: "--totals skip leaves such rows out" },
      ],
    });
    const skipped = await select(CHUNKS, { suspects: listed(true) });
    expect(shown(skipped)).toMatchObject({ rejected: [] });
    expect(skipped.flatMap(({ empty }) => empty)).toEqual([7, 8].map((line) => ({ line, start: 10 * line })));
  });
});
