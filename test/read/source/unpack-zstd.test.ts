import { readFile } from "node:fs/promises";
import fc from "fast-check";
import xxhash from "xxhash-wasm";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../../src/model/failure.ts";
import { unpackZstd } from "../../../src/read/source/unpack-zstd.ts";
import { cutBytesAt, join } from "../chunks.ts";

const hashes = await xxhash();
const FRAME = Buffer.from("28b52ffd", "hex");

/** A frame of stored blocks. */
function frameOf(
  blocks: readonly string[],
  more: { readonly flags?: number; readonly size?: number } = {},
): Buffer {
  const content = Buffer.from(blocks.join(""));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(more.size ?? content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(Number(hashes.h64Raw(content) & 0xffffffffn));
  const written = blocks.map((block, at) => {
    const bytes = Buffer.from(block);
    const head = Buffer.alloc(3);
    head.writeUIntLE((bytes.length << 3) | (at === blocks.length - 1 ? 1 : 0), 0, 3);
    return Buffer.concat([head, bytes]);
  });
  // One segment, a size of four bytes, a checksum.
  return Buffer.concat([FRAME, Buffer.from([0xa4 | (more.flags ?? 0)]), size, ...written, checksum]);
}

const skipped = Buffer.from("512a4d1803000000616263", "hex");
const unpack = async (bytes: Buffer, size = 0): Promise<string> =>
  (await join(unpackZstd(cutBytesAt(bytes, size), "orders.csv.zst"))).toString();

describe("a zstd file", () => {
  const whole = Buffer.concat([
    skipped,
    frameOf(["cle\n", "A\n"]),
    skipped,
    frameOf([""]),
    frameOf(["B\nC\n"]),
  ]);

  it.each([0, 1, 2, 7])("gives all its frames, read %d bytes at a time", async (size) => {
    expect(await unpack(whole, size)).toBe("cle\nA\nB\nC\n");
  });

  it("gives what was packed by zstd itself", async () => {
    expect(await unpack(await readFile("fixtures/csv/packed.csv.zst"), 3)).toBe("cle;libelle\nA1;Ecran\n");
  });

  it("stops the run wherever it is cut, but between two frames", async () => {
    const ends = new Set([0, skipped.length]);
    for (const part of [frameOf(["cle\n", "A\n"]), skipped, frameOf([""])])
      ends.add(Math.max(...ends) + part.length);
    for (let end = 1; end < whole.length; end++) {
      if (ends.has(end)) continue;
      await expect(unpack(whole.subarray(0, end))).rejects.toMatchObject({ code: "truncated-zstd" });
    }
  });

  it.each([
    ["a wrong checksum", Buffer.concat([frameOf(["A"]).subarray(0, -1), Buffer.from([0])]), "damaged-zstd"],
    ["another size than it says", frameOf(["A"], { size: 2 }), "damaged-zstd"],
    ["a reserved mark", frameOf(["A"], { flags: 8 }), "damaged-zstd"],
    ["something else after its frames", Buffer.concat([frameOf(["A"]), Buffer.from("more")]), "damaged-zstd"],
    [
      "a block of no known kind",
      Buffer.concat([FRAME, Buffer.from([0x20, 1, 0x0f, 0, 0, 0x41])]),
      "damaged-zstd",
    ],
    ["a window beyond the memory", Buffer.concat([FRAME, Buffer.from([0, 0x90, 1, 0, 0])]), "zstd-window"],
    ["a dictionary", Buffer.concat([FRAME, Buffer.from([1, 0x50, 7, 1, 0, 0])]), "zstd-dictionary"],
  ])("stops the run if it has %s", async (_, bytes, code) => {
    await expect(unpack(bytes)).rejects.toMatchObject({ kind: "input", code });
  });

  it("gives its own bytes, or none, whatever byte is changed", async () => {
    const packed = await readFile("fixtures/csv/packed.csv.zst");
    const text = await unpack(packed);
    await fc.assert(
      fc.asyncProperty(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(packed);
        changed[at]! ^= by;
        const read = await unpack(changed).catch((error: unknown) => error);
        expect(isRefusal(read) ? text : read).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function isRefusal(read: unknown): boolean {
  return read instanceof RecPushError && read.kind === "input";
}
