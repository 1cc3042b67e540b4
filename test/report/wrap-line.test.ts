import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textWidth, wrapLine } from "../../src/report/terminal-lines.ts";

const wrap = (line: string, columns = 40) => wrapLine(line, columns);

describe("a line that is wider than the terminal", () => {
  it("is wrapped between words, with an indent", () => {
    expect(wrap("  note: the service said something that takes more than one line")).toEqual([
      "  note: the service said something that",
      "    takes more than one line",
    ]);
  });

  it("keeps every word whole, and is never wider than the terminal unless a word is", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 20, max: 90 }), (words, columns) => {
        const lines = wrap(words.join(" "), columns);
        expect(lines.join(" ").trim().split(/ +/)).toEqual(words);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it("gives a command a line of its own, which is not broken", () => {
    const command = `rec-push 'a file.csv' --table commandes --quote '"' --type date_billed=date:DD/MM/YYYY`;
    const lines = wrap(`Next: mend the 2 rows in a.csv, then push that file: ${command}`);
    expect(lines.slice(0, 2)).toEqual(["Next: mend the 2 rows in a.csv, then", "  push that file:"]);
    expect(lines.slice(2)).toEqual([`  ${command}`]);
  });

  it("goes on in words after a command", () => {
    const lines = wrap(
      "Next: send the other rows: rec-push resume 2026 --on-invalid skip; it writes the invalid ones",
    );
    expect(lines).toEqual([
      "Next: send the other rows:",
      "  rec-push resume 2026 --on-invalid skip",
      "  it writes the invalid ones",
    ]);
  });
});

describe("the width of a text", () => {
  it.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["\u001b[31mred\u001b[39m", 3],
  ])("of %j is %i", (text, width) => expect(textWidth(text)).toBe(width));
});
