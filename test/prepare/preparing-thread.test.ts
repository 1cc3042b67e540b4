import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { type PackedChunk, RecordPacker } from "../../src/prepare/packed-chunk.ts";
import { type FromThread, readChunks } from "../../src/prepare/thread/record-makers.ts";

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
