import { EventEmitter } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RecordList } from "../../src/model/settlement.ts";
import type { PreparedChunk } from "../../src/prepare/leave-totals-out.ts";
import type { FromThread, PrepareJob, ToThread } from "../../src/prepare/thread/outlet.ts";
import { PreparingThread } from "../../src/prepare/thread/record-maker.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** A worker that is told things and says what a test lets it say. */
class SaidWorker extends EventEmitter {
  readonly told: ToThread[] = [];
  readonly transferred: ArrayBuffer[] = [];

  postMessage(message: ToThread, transfer: readonly ArrayBuffer[]): void {
    this.told.push(message);
    this.transferred.push(...transfer);
  }
}

/** The layout of a chunk of two records without keys, whose texts are empty. */
const layout = { records: 2, keyBytes: 0, hasWideKeys: false, otherBytes: 0, updateBytes: 0, textBytes: 1 };
const BYTES = 2 * 24 + 1;

/** A thread that has kept a chunk at each of these positions, with their records. */
async function threadWith(positions: readonly number[], taken = positions.length) {
  const file = await open(join(await makeDirectory(), "records"), "w+");
  onTestFinished(() => file.close());
  // The line of each record is its place in the file.
  const content = new Uint32Array(250);
  for (const at of positions) [content[at / 4], content[at / 4 + 6]] = [at + 1, at + 2];
  await file.write(content);
  const worker = new SaidWorker();
  const thread = new PreparingThread(worker as unknown as Worker);
  thread.begin({ isFollowed: false } as PrepareJob, file);
  for (const at of positions)
    worker.emit("message", { kind: "kept", layout, at, end: at + BYTES } satisfies FromThread);
  const chunks = thread.chunks();
  const take = async (): Promise<RecordList> => ((await chunks.next()).value as PreparedChunk).records;
  const records: RecordList[] = [];
  for (const _ of positions.slice(0, taken)) records.push(await take());
  const freed = async (): Promise<readonly number[]> => {
    await turn();
    return worker.told.flatMap((message) =>
      typeof message === "object" && "freed" in message ? message.freed : [],
    );
  };
  return { worker, records, take, freed };
}

describe("chunks that a thread has kept", () => {
  it("are given up when all of their records are settled", async () => {
    const { records, freed } = await threadWith([0, 100, 200]);
    const [first, second, third] = records;
    for (const list of [first!, second!.slice(0, 1), third!]) list.settle();
    expect(await freed()).toEqual([0, 200]);
    expect(second!.at(1)!.line).toBe(102);
    second!.slice(1).settle();
    expect(await freed()).toEqual([0, 200, 100]);
  });

  it("keep their numbers as long as one of their records is not settled, whatever memory others get", async () => {
    const { records, take } = await threadWith([0, 100, 200, 300, 400], 2);
    const linesOf = (list: RecordList): readonly number[] => list.map(({ line }) => line);
    const [first, second] = records;
    second!.slice(0, 1).settle();
    first!.settle();
    const others = [await take(), await take()];
    await turn();
    others.push(await take());
    expect([second!, ...others].map(linesOf)).toEqual([
      [101, 102],
      [201, 202],
      [301, 302],
      [401, 402],
    ]);
    expect(() => linesOf(first!)).toThrow("after all records of its chunk were settled");
  });

  it("are not given up to a thread that has ended", async () => {
    const { worker, records, freed } = await threadWith([0, 100]);
    records[0]!.settle();
    worker.emit("exit");
    records[1]!.settle();
    expect(await freed()).toEqual([]);
  });
});

describe("the memory of a chunk that is handed over", () => {
  async function handedOver() {
    const { worker, take } = await threadWith([]);
    const memory = new ArrayBuffer(BYTES);
    worker.emit("message", { kind: "handed", layout, bytes: new Uint8Array(memory) } satisfies FromThread);
    const records = await take();
    const given = (): readonly unknown[] =>
      worker.told.flatMap((message) =>
        typeof message === "object" && "memory" in message ? message.memory : [],
      );
    return { worker, memory, records, given };
  }

  it("goes back to the thread once all of its records are settled", async () => {
    const { worker, memory, records, given } = await handedOver();
    records.slice(0, 1).settle();
    expect(given()).toEqual([]);
    expect(records.at(1)!.line).toBe(0);
    records.slice(1).settle();
    expect([...given(), ...worker.transferred]).toEqual([memory, memory]);
    expect(() => records.at(1)!.line).toThrow("after all records of its chunk were settled");
  });

  it("does not go back to a thread that has ended", async () => {
    const { worker, records, given } = await handedOver();
    worker.emit("exit");
    records.settle();
    expect(given()).toEqual([]);
  });
});
