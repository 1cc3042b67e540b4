import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentCursor } from "../../../src/read/text/content-cursor.ts";
import { cutBytesAt, join, lend } from "../chunks.ts";

function chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  return lend(cutBytesAt(Buffer.from(text), size));
}

const gather = async (pieces: AsyncIterable<Buffer>): Promise<string> => (await join(pieces)).toString();

const content = fc
  .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r"), { maxLength: 30 })
  .map((parts) => parts.join(""));
const sizes = fc.constantFrom(1, 2, 7, 1_000);

describe("ContentCursor", () => {
  it("copies stretches of bytes, however the content is cut", async () => {
    await fc.assert(
      fc.asyncProperty(content, sizes, fc.array(fc.nat(5), { maxLength: 8 }), async (text, size, steps) => {
        const bytes = Buffer.from(text);
        const cursor = new ContentCursor(chunksOf(text, size));
        let at = 0;
        for (const step of steps) {
          const [start, end] = [Math.min(at + step, bytes.length), Math.min(at + step * 2, bytes.length)];
          expect(await gather(cursor.bytes(start, end))).toBe(bytes.subarray(start, end).toString());
          at = end;
        }
      }),
    );
  });
});
