import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinBefore, withRoomBefore } from "../../../src/read/source/room-before.ts";

function pieceOf(text: string): Buffer {
  const piece = withRoomBefore(Buffer.byteLength(text));
  piece.write(text);
  return piece;
}

describe("the end of one piece and the next", () => {
  it("are joined as a copy of both would be, whatever their sizes, and nothing else changes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 6000 }), fc.nat({ max: 5000 })), { maxLength: 12 }),
        (sizes) => {
          let joined: Buffer = Buffer.alloc(0);
          const seen: { readonly bytes: Buffer; readonly text: string }[] = [];
          for (const [at, [size, kept]] of sizes.entries()) {
            const piece = pieceOf(String.fromCharCode(97 + at).repeat(size));
            const rest = joined.subarray(Math.max(0, joined.length - kept));
            const expected = Buffer.concat([rest, piece]);
            joined = joinBefore(rest, piece);
            expect(joined.equals(expected)).toBe(true);
            for (const bytes of [joined, piece]) seen.push({ bytes, text: bytes.toString("latin1") });
            for (const { bytes, text } of seen) expect(bytes.toString("latin1")).toBe(text);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are in the memory of the next where there is room, once", () => {
    const next = pieceOf("next");
    const first = joinBefore(Buffer.from("one,"), next);
    const second = joinBefore(Buffer.from("two,"), next);
    expect([first, second].map(String)).toEqual(["one,next", "two,next"]);
    expect(first.buffer === next.buffer).toBe(true);
    expect(second.buffer === next.buffer).toBe(false);
  });

  it("are copied where there is no room", () => {
    const long = Buffer.alloc(4097, "x");
    const next = pieceOf("next");
    expect(joinBefore(long, next).buffer === next.buffer).toBe(false);
    const memory = Buffer.from("abcdef");
    const joined = joinBefore(Buffer.from("12"), memory.subarray(3));
    expect([String(joined), String(memory)]).toEqual(["12def", "abcdef"]);
  });
});
