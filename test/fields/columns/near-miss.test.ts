import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOneEdit } from "../../../src/fields/columns/name-kinds.ts";

/** Every text that one edit makes of this one, of these letters. */
function editsOf(text: string, letters: readonly string[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    if (after !== "") edited.add(before + after.slice(1));
    for (const letter of letters) {
      edited.add(before + letter + after);
      if (after !== "") edited.add(before + letter + after.slice(1));
    }
    if (after.length > 1) edited.add(before + after[1]! + after[0]! + after.slice(2));
  }
  edited.delete(text);
  return edited;
}

describe("isOneEdit", () => {
  it("finds what any one edit makes, and nothing else", () => {
    const letters = ["a", "b", "c"];
    const name = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        const edited = editsOf(left, letters);
        expect(isOneEdit(left, right)).toBe(edited.has(right));
        for (const other of edited) expect(isOneEdit(left, other)).toBe(true);
      }),
    );
  });
});
