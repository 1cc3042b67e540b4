import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { readRows } from "../../src/read/read-rows.ts";
import type { Source } from "../../src/read/source/source.ts";
import { buildBytes, type FuzzCase } from "./fuzz-case.ts";

const LONG_BYTES = 4_000_000;
/** The most by which heap and buffers may grow, however long the file is; holding all rows would take several times that. */
const MOST_GROWTH = 100_000_000;

/** Reads a file that repeats a case over and over; throws if reading holds more than a part of it in memory. */
export async function judgeLength(given: FuzzCase, base: Buffer): Promise<void> {
  const { stored } = buildBytes({ ...given, packing: "plain" }, base);
  if (stored.length === 0) return;
  const source: Source = {
    name: "fuzz",
    bytes: LONG_BYTES,
    async *open() {
      await Promise.resolve();
      const piece = Buffer.concat(Array.from({ length: Math.ceil(65_536 / stored.length) }, () => stored));
      for (let sent = 0; sent < LONG_BYTES; sent += piece.length) yield piece;
    },
    close: async () => {},
  };
  const before = usedBytes();
  try {
    const inspection = await inspectSource(source, given.options);
    let chunks = 0;
    for await (const _ of readRows(source, inspection, given.options)) {
      chunks += 1;
      if (chunks % 50 !== 0 || usedBytes() - before <= MOST_GROWTH) continue;
      // Much of the memory may be garbage.
      collectGarbage();
      const growth = usedBytes() - before;
      if (growth > MOST_GROWTH) throw new Error(`reading holds ${growth.toLocaleString("en")} bytes more`);
    }
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
