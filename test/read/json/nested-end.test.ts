import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfNested } from "../../../src/read/json/plain-value.ts";
import { draws } from "../../support/draws.ts";

const CHARACTERS = Array.from('{}[],:"\\ \n019.-eEutfn');

/** JSON in one of its writings, with a few characters changed. */
const text = fc
  .tuple(
    fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
    fc.constantFrom(undefined, 1, "\t"),
    fc.array(fc.tuple(fc.nat(), fc.nat(1), fc.constantFrom(...CHARACTERS)), { maxLength: 2 }),
  )
  .map(([value, indent, changes]) => {
    let written = JSON.stringify(value, undefined, indent);
    for (const [place, removed, added] of changes) {
      const at = 1 + (place % written.length);
      written = written.slice(0, at) + added + written.slice(at + removed);
    }
    return written;
  });

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}

describe("the end of an object or array", () => {
  it("is found where JSON.parse takes the text up to it, and nowhere else", () => {
    fc.assert(
      fc.property(text, (written) => {
        const end = endOfNested(Buffer.from(`${written},`), 0);
        const found = Buffer.from(written).toString("utf8", 0, Math.max(end, 0));
        const isRight = isJson(written) ? found === written.trimEnd() : end === -1 || isJson(found);
        expect(isRight).toBe(true);
      }),
      draws(1000),
    );
  });

  it.each(["[1", '{"a', '{"a":1', "[tru", '["\\', '["\\u00', "[-", "{"])("is not found in %s", (cut) => {
    expect(endOfNested(Buffer.from(cut), 0)).toBe(-1);
  });

  it("is left to the strict scanner where a value is very deep", () => {
    const deep = (levels: number): Buffer => Buffer.from("[".repeat(levels) + "]".repeat(levels));
    expect(endOfNested(deep(32), 0)).toBe(64);
    expect(endOfNested(deep(33), 0)).toBe(-1);
  });
});
