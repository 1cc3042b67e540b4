import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlaceCounter } from "../../../src/read/text/read-line-at.ts";
import { draws } from "../../support/draws.ts";

const text = fc
  .array(fc.constantFrom("a", "\n", "\r", "\r\n", "\t", "é", "€", "\u{1f600}", "abcdefgh", "\u000e"))
  .map((parts) => parts.join(""));

describe("places in a text", () => {
  it("are counted as its lines and characters say, however it comes and wherever it lies in memory", () => {
    fc.assert(
      fc.property(fc.array(text), text, fc.nat(7), (pieces, last, offset) => {
        const counter = new PlaceCounter();
        for (const piece of pieces) counter.add(placed(piece, offset));
        const before = (pieces.join("") + last).split(/\r\n|\n|\r/);
        const bytes = placed(last, offset);
        counter.add(bytes);
        expect(counter).toMatchObject({
          line: before.length,
          column: Array.from(before.at(-1) ?? "").length + 1,
        });
      }),
      draws(400),
    );
  });
});

function placed(piece: string, offset: number): Buffer {
  return Buffer.concat([Buffer.alloc(offset), Buffer.from(piece)]).subarray(offset);
}
