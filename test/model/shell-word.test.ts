import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteFor, quoteWord, shellOf, showText, splitFor, splitWords } from "../../src/model/text.ts";

const word = fc.string({
  unit: fc.constantFrom(...Array.from("ab =\"'$`\\!é;%&|<> \n\t*~#^,@\u201c\u2019")),
});

describe("words for a shell", () => {
  it.each(["posix", "cmd", "powershell"] as const)("are cut as they were quoted: %s", (shell) => {
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
    ["a.csv", "a.csv", "a.csv"],
    [String.raw`C:\exports\a.csv`, String.raw`C:\exports\a.csv`, String.raw`C:\exports\a.csv`],
    [String.raw`\\server\share\a.csv`, String.raw`\\server\share\a.csv`, String.raw`\\server\share\a.csv`],
    ["C:\\my files\\", String.raw`"C:\my files\\"`, String.raw`"C:\my files\"`],
    ["a b", '"a b"', '"a b"'],
    ["a,b", "a,b", '"a,b"'],
    ["@a", "@a", '"@a"'],
    ["a;b", '"a;b"', '"a;b"'],
    ["a&b", '"a&b"', '"a&b"'],
    ["it's", '"it\'s"', '"it\'s"'],
    ["$a", '"$a"', "'$a'"],
    ["100%", '"100"%""', '"100%"'],
    ["%PATH%", '""%"PATH"%""', '"%PATH%"'],
    ['a"b', '"a""b"', "'a\"b'"],
    [String.raw`a\"b`, String.raw`"a\\""b"`, String.raw`'a\"b'`],
    ["$it's", '"$it\'s"', "'$it''s'"],
    ["", '""', '""'],
  ])("%s is quoted for cmd.exe and for PowerShell", (given, cmd, powershell) => {
    expect([quoteFor("cmd", given), quoteFor("powershell", given)]).toEqual([cmd, powershell]);
  });

  it.each([
    ["linux", { PROMPT: "$P$G" }, "posix"],
    ["darwin", {}, "posix"],
    ["win32", { PROMPT: "$P$G" }, "cmd"],
    ["win32", {}, "powershell"],
    ["win32", { MSYSTEM: "MINGW64", PROMPT: "$P$G" }, "posix"],
  ] as const)("are those of the shell of %s with %j: %s", (platform, env, shell) => {
    expect(shellOf(platform, env)).toBe(shell);
  });
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
