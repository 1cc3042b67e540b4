import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVisible, quoteText, showText } from "../../src/model/text.ts";

describe("showText", () => {
  it.each([
    ["a line end", "a\nb\r\n", "a\\nb\\r\\n"],
    ["a terminal's escape", "\u001b[2Jx", "\\u001b[2Jx"],
    ["a C1 control", "\u009b31m", "\\u009b31m"],
    ["a direction mark", "a\u202eb", "a\\u202eb"],
    ["a zero-width space", "a\u200bb", "a\\u200bb"],
    ["half a surrogate pair", "a\ud800b", "a\\ud800b"],
  ])("escapes %s", (_, text, expected) => expect(showText(text)).toBe(expected));

  it("keeps letters, signs and spaces of every kind", () => {
    const text = "Clé 1\u00a0437,50\u202f€ 中 🙂";
    expect(showText(text)).toBe(text);
    expect(isVisible(text)).toBe(true);
  });

  it("cuts a long text, never inside a surrogate pair", () => {
    expect(showText("abcdef", 4)).toBe("abc…");
    expect(showText("ab🙂cd", 4)).toBe("ab…");
  });

  it("leaves nothing that a terminal obeys", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(isVisible(showText(text, 1000))).toBe(true);
      }),
    );
  });

  it("quotes", () => expect(quoteText("a\tb")).toBe('"a\\tb"'));
});
