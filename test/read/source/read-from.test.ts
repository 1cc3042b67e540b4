import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readFrom } from "../../../src/read/source/read-from.ts";
import { makeDirectory } from "../../support/temp-files.ts";

const CHUNK_BYTES = 524_288;

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(await makeDirectory(), "orders.csv");
  await writeFile(path, bytes);
  return path;
}

/** Bytes that tell where they stand. */
function numbered(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

describe("the bytes of an open file", () => {
  it("come whole and in order, lent or not", async () => {
    for (const length of [0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 1000]) {
      const bytes = numbered(length);
      const path = await fileOf(bytes);
      for (const lends of [true, false]) {
        const handle = await open(path);
        const read: Buffer[] = [];
        // What is lent is copied before the next is asked for.
        for await (const chunk of readFrom(handle.fd, path, { lends })) read.push(Buffer.from(chunk));
        await handle.close();
        expect(Buffer.concat(read).equals(bytes)).toBe(true);
      }
    }
  });

  it("stay what they are until the next chunk is asked for, however late that is", async () => {
    const bytes = numbered(5 * CHUNK_BYTES);
    const path = await fileOf(bytes);
    const handle = await open(path);
    let at = 0;
    for await (const chunk of readFrom(handle.fd, path, { lends: true })) {
      // The chunk behind it is read meanwhile.
      await handle.read(Buffer.alloc(8), 0, 8, 0);
      await handle.stat();
      expect(chunk.equals(bytes.subarray(at, at + chunk.length))).toBe(true);
      at += chunk.length;
    }
    await handle.close();
    expect(at).toBe(bytes.length);
  });

  it("end in an input error where the file cannot be read", async () => {
    await expect(readFrom(99_999, "orders.csv", {}).next()).rejects.toMatchObject({
      kind: "input",
      code: "not-readable",
      place: { file: "orders.csv" },
    });
  });
});
