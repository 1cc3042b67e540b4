import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { PreparedRecord } from "../../src/model/settlement.ts";
import { type PackedChunk, type PreparedChunk, RecordPacker } from "../../src/prepare/packed-chunk.ts";
import { type SelectedChunk, stream, type StreamOptions } from "../../src/prepare/stream.ts";
import { type FromThread, readChunks } from "../../src/prepare/thread/record-makers.ts";
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
});

/** A thread that is told things and says what a test lets it say. */
class SaidWorker extends EventEmitter {
  /** How many chunks were asked for. */
  asked = 0;

  postMessage(): void {
    this.asked += 1;
  }

  say(message: FromThread): void {
    this.emit("message", message);
  }
}

/** A chunk of two creates, from this line on. */
function chunkFrom(line: number): PackedChunk {
  const packer = new RecordPacker();
  for (const at of [line, line + 1]) {
    packer.reserve(100);
    const end = packer.at + packer.text.write(`{"a":"${at}"}`, packer.at);
    packer.add({ line: at, start: 10 * at, end: 10 * at + 9 }, end, undefined);
  }
  return packer.pack({ rejected: [], empty: [] });
}

describe("the chunks of a thread", () => {
  it("are asked for a few at a time, each further one once another is taken", async () => {
    const worker = new SaidWorker();
    const chunks = readChunks(worker);
    const lines: number[] = [];
    let next = chunks.next();
    expect(worker.asked).toBe(4);
    for (const line of [2, 4, 6]) worker.say({ kind: "chunk", chunk: chunkFrom(line) });
    worker.say({ kind: "end" });
    for (let taken = 1; ; taken++) {
      const { done, value } = await next;
      if (done === true) break;
      lines.push(...value.records.map((record) => record.line));
      expect(worker.asked).toBe(4 + taken);
      next = chunks.next();
    }
    expect(lines).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it("end with the failure of the second pass, in its own words", async () => {
    const worker = new SaidWorker();
    const next = readChunks(worker).next();
    const failure = {
      kind: "input",
      code: "source-changed",
      message: "it changed",
      hint: "run it again",
      place: { file: "orders.csv" },
    } as const;
    worker.say({ kind: "failure", failure });
    await expect(next).rejects.toMatchObject(failure);
  });

  it("end with an error where the thread fails, or ends too early", async () => {
    const failed = new SaidWorker();
    const failing = readChunks(failed).next();
    failed.emit("error", new Error("out of memory"));
    await expect(failing).rejects.toThrow("out of memory");
    const gone = new SaidWorker();
    const going = readChunks(gone).next();
    gone.emit("exit", 1);
    await expect(going).rejects.toThrow("ended unexpectedly");
  });
});
