import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isVisible,
  quoteFor,
  quoteText,
  quoteWord,
  showText,
  splitFor,
  splitWords,
} from "../../src/model/text.ts";

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

const word = fc.string({
  unit: fc.constantFrom(...Array.from("ab =\"'$`\\!é;%&|<> \n\t*~#^,@\u201c\u2019")),
});

describe("words for a shell", () => {
  it.each(["posix", "powershell"] as const)("are cut as they were quoted: %s", (shell) => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        expect(splitFor(shell, words.map((one) => quoteFor(shell, one)).join(" "))).toEqual(words);
      }),
    );
  });

  it("are what a shell makes of them", () => {
    const words = fc.sample(word, { numRuns: 300, seed: 1 });
    const line = `printf '%s\\0' ${words.map(quoteWord).join(" ")}`;
    const printed = spawnSync("bash", ["-c", line], { encoding: "utf8" }).stdout;
    expect(printed.split("\0").slice(0, -1)).toEqual(words);
    expect(splitWords(words.map(quoteWord).join(" "))).toEqual(words);
  });

  it.each([
    ["a.csv", "a.csv"],
    [String.raw`C:\exports\a.csv`, String.raw`C:\exports\a.csv`],
    [String.raw`\\server\share\a.csv`, String.raw`\\server\share\a.csv`],
    ["C:\\my files\\", String.raw`"C:\my files\"`],
    ["a b", '"a b"'],
    ["a,b", '"a,b"'],
    ["@a", '"@a"'],
    ["a;b", '"a;b"'],
    ["a&b", '"a&b"'],
    ["it's", '"it\'s"'],
    ["$a", "'$a'"],
    ["100%", '"100%"'],
    ['a"b', "'a\"b'"],
    [String.raw`a\"b`, String.raw`'a\"b'`],
    ["$it's", "'$it''s'"],
    ["", '""'],
  ])("%s is quoted for PowerShell", (given, quoted) => expect(quoteFor("powershell", given)).toBe(quoted));
});

it.each(["tab\there.csv", "two\nlines.csv", "\u202aC.csv", "soft\u00ad'hyphen\\.csv", "\u001b[31m$HOME`x`!"])(
  "a name with hidden characters is shown as what bash takes for it: %j",
  (name) => {
    const word = quoteFor("posix", name);
    expect(showText(word, 400)).toBe(word);
    expect(splitFor("posix", word)).toEqual([name]);
    const { stdout } = spawnSync("bash", ["-c", `printf %s ${word}`], { encoding: "utf8" });
    expect(stdout).toBe(name);
  },
);
