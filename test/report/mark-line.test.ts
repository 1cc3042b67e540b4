import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { showText } from "../../src/model/text.ts";
import { markLine } from "../../src/report/remarks-reporter.ts";
import { textWidth } from "../../src/report/terminal-lines.ts";

const PLAIN = { red: (text: string) => text };

describe("a line with its cell marked", () => {
  it.each([
    ["whole", "A1;1;", "31/06/2016", ";595,00", 80, ["  A1;1;31/06/2016;595,00", "       ^^^^^^^^^^"]],
    ["with an empty cell", "A1;", "", ";595,00", 80, ["  A1;;595,00", "     ^"]],
    ["in signs of two columns", "東京;", "大阪", ";1", 80, ["  東京;大阪;1", "       ^^^^"]],
    [
      "with line ends and controls in sight",
      "a\nb;",
      "\u001b",
      ";",
      80,
      ["  a\\nb;\\u001b;", "       ^^^^^^"],
    ],
    [
      "cut before it",
      `${"a".repeat(60)};`,
      "x",
      ";b",
      30,
      [`  …${"a".repeat(23)};x;b`, `${" ".repeat(27)}^`],
    ],
    ["cut after it", "a;", "x", `;${"b".repeat(60)}`, 30, [`  a;x;${"b".repeat(23)}…`, "    ^"]],
  ])("is shown %s", (_, before, cell, after, columns, lines) => {
    expect(markLine({ before, cell, after }, columns, PLAIN)).toEqual(lines);
  });

  it("never takes more than the terminal has, and has its marks below what is shown of the cell", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é", "e\u0301", "東", ";", "\t", "\u202e", "\u{1f600}"),
      maxLength: 90,
    });
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 30, max: 120 }), (before, cell, after, columns) => {
        const [line, marks] = markLine({ before, cell, after }, columns, PLAIN) as [string, string];
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(marks).toMatch(/^ {2,}\^+$/);
        expect(marks.length).toBeLessThanOrEqual(columns);
        const first = showText(cell)[0];
        if (first === undefined) return;
        const places = Array.from(line, (_, at) => at).filter((at) => line.startsWith(first, at));
        expect(places.map((at) => textWidth(line.slice(0, at)))).toContain(marks.indexOf("^"));
      }),
    );
  });
});
