import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { type PackedChunk, RecordPacker } from "../../src/prepare/packed-chunk.ts";
import {
  type FromThread,
  messagesOf,
  readChunks,
  type ToThread,
} from "../../src/prepare/thread/record-makers.ts";
import { createProofWriter, ProofCheck } from "../../src/read/source/block-proof.ts";

/** A thread that is told things and says what a test lets it say. */
class SaidWorker extends EventEmitter {
  readonly told: ToThread[] = [];
  readonly transferred: ArrayBuffer[] = [];

  postMessage(message: ToThread, transfer: readonly ArrayBuffer[]): void {
    this.told.push(message);
    this.transferred.push(...transfer);
  }

  say(message: FromThread): void {
    this.emit("message", message);
  }

  /** How many chunks were asked for. */
  get asked(): number {
    return this.told.filter((message) => message === "next").length;
  }
}

/** The proof of two blocks. */
const PROOF = (() => {
  const writer = createProofWriter(4);
  writer.add(Buffer.from("12345678"));
  return writer.finish();
})();
const NONE = new Uint8Array();

/** The chunks of a thread that was asked for so many; `codes`: those of all blocks. */
function chunksOf(worker: SaidWorker, asked = 4) {
  return readChunks({ worker, asked, messages: messagesOf(worker) }, new ProofCheck(PROOF, "orders.csv"));
}

/** A chunk of two creates, from this line on. */
function chunkFrom(line: number): PackedChunk {
  const packer = new RecordPacker();
  for (const at of [line, line + 1]) {
    packer.reserve(100);
    const end = packer.at + packer.text.write(`{"a":"${at}"}`, packer.at);
    packer.add({ line: at, start: 10 * at, end: 10 * at + 9 }, end, undefined);
  }
  return packer.pack({ rejected: [], empty: [] }, (size) => Buffer.allocUnsafeSlow(size));
}

describe("the chunks of a thread", () => {
  it("are asked for a few at a time, each further one once another is taken", async () => {
    const worker = new SaidWorker();
    const chunks = chunksOf(worker);
    const lines: number[] = [];
    let next = chunks.next();
    for (const line of [2, 4, 6]) worker.say({ kind: "chunk", codes: NONE, ...chunkFrom(line) });
    worker.say({ kind: "end", codes: PROOF.codes });
    for (let taken = 1; ; taken++) {
      const { done, value } = await next;
      if (done === true) break;
      lines.push(...value.records.map((record) => record.line));
      expect(worker.asked).toBe(taken);
      next = chunks.next();
    }
    expect(lines).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it("are not asked for as long as enough of those are to come that were asked for early", async () => {
    const worker = new SaidWorker();
    const chunks = chunksOf(worker, 6);
    const asked: number[] = [];
    for (const line of [2, 4, 6, 8]) {
      worker.say({ kind: "chunk", codes: NONE, ...chunkFrom(line) });
      await chunks.next();
      asked.push(worker.asked);
    }
    expect(asked).toEqual([0, 0, 1, 2]);
  });

  it.each([
    ["of other content", [Buffer.alloc(16)]],
    ["of less content", [PROOF.codes.subarray(0, 16)]],
    ["of more content", [PROOF.codes, PROOF.codes.subarray(0, 16)]],
    ["of content that cannot be read, which is other content", [PROOF.codes.subarray(16)], true],
  ])("are not passed on where they are %s", async (_, codes, fails = false) => {
    const worker = new SaidWorker();
    const chunks = chunksOf(worker);
    const [last, ...before] = codes.toReversed();
    for (const code of before) worker.say({ kind: "chunk", codes: code, ...chunkFrom(2) });
    const failure = {
      kind: "input",
      code: "no-readable-row",
      message: "?",
      hint: undefined,
      place: undefined,
    } as const;
    worker.say(fails ? { kind: "failure", codes: last!, failure } : { kind: "end", codes: last! });
    const taken: number[] = [];
    const all = async (): Promise<void> => {
      for await (const { records } of chunks) taken.push(records.length);
    };
    await expect(all()).rejects.toMatchObject({ code: "source-changed", place: { file: "orders.csv" } });
    expect(taken).toHaveLength(before.length);
  });

  it("give their memory back once all of their records are settled", async () => {
    const worker = new SaidWorker();
    const chunks = chunksOf(worker);
    const next = chunks.next();
    const packed = chunkFrom(2);
    worker.say({ kind: "chunk", codes: NONE, ...packed });
    const { records } = (await next).value!;
    records.slice(0, 1).settle();
    expect(worker.transferred).toEqual([]);
    expect(records.at(1)!.line).toBe(3);
    records.slice(1).settle();
    expect(worker.transferred).toEqual([packed.bytes.buffer]);
    expect(worker.told.at(-1)).toEqual({ memory: packed.bytes.buffer });
    expect(() => records.at(1)!.line).toThrow("after all records of its chunk were settled");
  });

  it("end with the failure of the second pass, in its own words", async () => {
    const worker = new SaidWorker();
    const next = chunksOf(worker).next();
    const failure = {
      kind: "input",
      code: "source-changed",
      message: "it changed",
      hint: "run it again",
      place: { file: "orders.csv" },
    } as const;
    worker.say({ kind: "failure", codes: NONE, failure });
    await expect(next).rejects.toMatchObject(failure);
  });

  it("end with an error where the thread fails, or ends too early", async () => {
    const failed = new SaidWorker();
    const failing = chunksOf(failed).next();
    failed.emit("error", new Error("out of memory"));
    await expect(failing).rejects.toThrow("out of memory");
    const gone = new SaidWorker();
    const going = chunksOf(gone).next();
    gone.emit("exit", 1);
    await expect(going).rejects.toThrow("ended unexpectedly");
  });
});
