import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ContentProof, createProofWriter, prove } from "../../../src/read/source/block-proof.ts";
import { cutBytesAt } from "../chunks.ts";

function proofOf(bytes: Buffer, blockBytes: number): ContentProof {
  const writer = createProofWriter(blockBytes);
  writer.add(bytes);
  return writer.finish();
}

async function readProven(
  bytes: Buffer,
  size: number,
  proof: ContentProof,
): Promise<{ read: Buffer; error: unknown }> {
  const read: Buffer[] = [];
  try {
    for await (const piece of prove(cutBytesAt(bytes, size), proof, "orders.csv"))
      read.push(Buffer.from(piece));
    return { read: Buffer.concat(read), error: undefined };
  } catch (error) {
    return { read: Buffer.concat(read), error };
  }
}

describe("the proof of a source", () => {
  it("hands on all bytes of an unchanged source at any chunk size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat(9), async (values, size) => {
        const bytes = Buffer.from(values);
        expect(await readProven(bytes, size, proofOf(bytes, 8))).toEqual({ read: bytes, error: undefined });
      }),
    );
  });

  it("never hands on a byte of a block that changed", async () => {
    const bytes = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(9), async (at, size) => {
        const changed = Buffer.from(bytes);
        changed[at] = 0;
        const { read, error } = await readProven(changed, size, proofOf(bytes, 8));
        expect(error).toMatchObject({ kind: "input", code: "source-changed" });
        expect(read.equals(bytes.subarray(0, Math.floor(at / 8) * 8))).toBe(true);
      }),
    );
  });

  it.each([
    ["shorter by a byte", "0123456789abcde"],
    ["shorter by a block", "01234567"],
    ["longer by a byte", "0123456789abcdefg"],
    ["longer by a block", "0123456789abcdef01234567"],
    ["empty", ""],
    ["the same blocks in another order", "89abcdef01234567"],
    ["its first block twice", "0123456701234567"],
  ])("stops where the source became %s", async (_, now) => {
    const before = Buffer.from("0123456789abcdef");
    const { read, error } = await readProven(Buffer.from(now), 3, proofOf(before, 8));
    expect(error).toMatchObject({ code: "source-changed" });
    expect(before.subarray(0, read.length).equals(read)).toBe(true);
  });

  it("holds the SHA-256 of all the content", () => {
    for (const text of ["", "a", "01234567", "0123456789"]) {
      const hex = createHash("sha256").update(text).digest("hex");
      expect(proofOf(Buffer.from(text), 8).fingerprint).toBe(hex);
    }
  });
});
