import { EventEmitter } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import type { FromThread, PrepareJob, ToThread } from "../../src/prepare/thread/prepare-job.ts";
import { PreparingThread } from "../../src/prepare/thread/preparing-thread.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** A collection of all that nothing refers to; a program has no need of it. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/** A worker that is told things and says what a test lets it say. */
class SaidWorker extends EventEmitter {
  readonly told: ToThread[] = [];

  postMessage(message: ToThread): void {
    this.told.push(message);
  }
}

/** The layout of a chunk of one record without a key, whose text is one byte. */
const layout = { records: 1, keyBytes: 0, hasWideKeys: false, otherBytes: 0, textBytes: 1 };
const HEAD = 24;

describe("chunks that a thread has kept", () => {
  it("are given up when nothing refers to their texts any more, and not before", async () => {
    const file = await open(join(await makeDirectory(), "records"), "w+");
    onTestFinished(() => file.close());
    await file.write(Buffer.alloc(400));
    const worker = new SaidWorker();
    const thread = new PreparingThread(worker as unknown as Worker);
    thread.begin({ isFollowed: false } as PrepareJob, file);
    for (const at of [0, 100, 200, 300])
      worker.emit("message", { kind: "kept", layout, at, end: at + HEAD + 1 } satisfies FromThread);
    const chunks = thread.chunks();
    const held: (PreparedChunk | undefined)[] = [];
    const take = async (): Promise<void> => void held.push((await chunks.next()).value as PreparedChunk);
    for (let i = 0; i < 4; i++) await take();
    expect(held.map((chunk) => chunk?.records.length)).toEqual([1, 1, 1, 1]);

    const collect = collector();
    const freed = async (count: number): Promise<readonly number[]> => {
      const positions = (): number[] =>
        worker.told
          .flatMap((message) => (typeof message === "object" && "freed" in message ? message.freed : []))
          .toSorted((one, other) => one - other);
      for (let turns = 0; turns < 200 && positions().length < count; turns++) {
        collect();
        await turn();
      }
      return positions();
    };
    held[0] = undefined;
    held[2] = undefined;
    expect(await freed(2)).toEqual([0, 200]);
    // As long as one record is held, its chunk is.
    const [record] = held[1]!.records;
    held[1] = undefined;
    held[3] = undefined;
    expect(await freed(3)).toEqual([0, 200, 300]);
    expect(record?.bytes).toBe(0);

    worker.emit("exit");
  });

  it("are not given up to a thread that has ended", async () => {
    const file = await open(join(await makeDirectory(), "records"), "w+");
    onTestFinished(() => file.close());
    await file.write(Buffer.alloc(100));
    const worker = new SaidWorker();
    const thread = new PreparingThread(worker as unknown as Worker);
    thread.begin({ isFollowed: false } as PrepareJob, file);
    worker.emit("message", { kind: "kept", layout, at: 0, end: HEAD + 1 } satisfies FromThread);
    await thread.chunks().next();
    worker.emit("exit");
    const collect = collector();
    for (let turns = 0; turns < 50; turns++) {
      collect();
      await turn();
    }
    expect(worker.told).toHaveLength(1);
  });
});
