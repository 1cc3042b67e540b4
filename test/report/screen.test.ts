import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { openScreen } from "../../src/report/terminal-progress.ts";
import { cutToWidth, textWidth } from "../../src/report/terminal-lines.ts";

/** A terminal whose size can be changed, and what was written to it since the last look. */
function openTerminal(columns: number, rows = 24) {
  const stream = Object.assign(new PassThrough(), { columns, rows });
  const written = (): string => String(stream.read() ?? "").replaceAll("\u001b", "^");
  return { stream, written, screen: openScreen(stream) };
}

describe("a screen", () => {
  it("goes up one row less than it drew, and shows the cursor in the end", () => {
    const { screen, written } = openTerminal(80);
    screen.draw(["one", "two", "three"]);
    expect(written()).toContain("one\ntwo\nthree");
    screen.clear();
    expect(written()).toBe("\r^[2A^[0J");
    screen.close();
    expect(written()).toBe("^[?25h");
  });

  it("goes up further if the terminal has become narrower and broken its lines", () => {
    const { stream, screen, written } = openTerminal(80);
    screen.draw(["x".repeat(60), "y".repeat(60)]);
    written();
    stream.columns = 40;
    screen.clear();
    expect(written()).toBe("\r^[3A^[0J");
    screen.close();
  });

  it("draws no more lines than the terminal has, the last ones", () => {
    const { screen, written } = openTerminal(80, 3);
    screen.draw(["one", "two", "three"]);
    expect(written()).not.toContain("one");
    screen.close();
  });
});

describe("a text that is cut", () => {
  it.each([
    ["abcdefgh", 8, "abcdefgh"],
    ["abcdefgh", 6, "abcde…"],
    ["日本日本", 7, "日本日…"],
  ])("%j at %i columns is %j", (text, columns, cut) => {
    expect(cutToWidth(text, columns)).toBe(cut);
    expect(textWidth(cut)).toBeLessThanOrEqual(columns);
  });
});
