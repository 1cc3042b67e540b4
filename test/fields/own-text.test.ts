import fc from "fast-check";
import { expect, it } from "vitest";
import { ownText } from "../../src/fields/spreadsheet-text.ts";

it("is the same text, whatever is in it", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => ownText(text) === text));
  expect(ownText("\ud800x")).toBe("\ud800x");
});
