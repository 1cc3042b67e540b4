import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendWord, readWords } from "../../src/store/word-file.ts";
import { makeDirectory } from "../support/temp-files.ts";

const WORDS = [
  { file: "20261121-031500-3f9a1c" },
  { file: "é" },
  { file: "b", isStruck: true },
  { file: "c" },
];

async function written(words: readonly object[] = WORDS): Promise<string> {
  const path = join(await makeDirectory(), "words");
  for (const word of words) await appendWord(path, word);
  return path;
}

describe("a file of words", () => {
  it("with any byte changed is refused, or read as if a crash had cut off the last word", async () => {
    const path = await written();
    const whole = await readFile(path);
    const lastWord = whole.lastIndexOf("\n\n") + 1;
    for (let at = 0; at < whole.length; at++) {
      for (const bit of [1, 4, 128]) {
        const changed = Buffer.from(whole);
        changed[at] = changed[at]! ^ bit;
        await writeFile(path, changed);
        const found = await readWords(path).catch((error: { code: string }) => error.code);
        // The line feed before a word only keeps it apart from what a crash cut off.
        const isUnchanged = at === 0 && typeof found !== "string";
        expect({ at, lastWord, found }).toMatchObject({ found: isUnchanged ? WORDS : "state-directory" });
      }
    }
  });

  it("with a word lost, added or moved is refused, unless the last one is lost", async () => {
    const path = await written();
    const lines = (await readFile(path, "utf8")).split(/(?<=\n)(?=\n)/);
    const at = fc.nat({ max: lines.length - 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("lose", "move"), at, at, async (how, from, to) => {
        const changed = lines.toSpliced(from, 1);
        if (how === "move") changed.splice(to, 0, lines[from]!);
        await writeFile(path, changed.join(""));
        const isCut = how === "lose" && from === lines.length - 1;
        const isSame = how === "move" && from === to;
        const found = await readWords(path).catch((error: { code: string }) => error.code);
        expect(found).toEqual(isCut ? WORDS.slice(0, -1) : isSame ? WORDS : "state-directory");
      }),
    );
  });

  it("cut off at any byte gives the words before, and takes others", async () => {
    const path = await written();
    const whole = await readFile(path);
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      await writeFile(path, whole);
      await truncate(path, bytes);
      const before = await readWords(path);
      expect(WORDS.slice(0, before.length)).toEqual(before);
      await appendWord(path, { file: "next" });
      expect(await readWords(path)).toEqual([...before, { file: "next" }]);
    }
  });

  it("accepts words that processes add at the same time", async () => {
    const path = await written();
    const more = Array.from({ length: 8 }, (_, at) => ({ file: `more ${at}` }));
    await Promise.all(more.map((word) => appendWord(path, word)));
    await appendWord(path, { file: "last" });
    const words = await readWords<{ file: string }>(path);
    expect(words).toHaveLength(WORDS.length + more.length + 1);
    expect(words.at(-1)).toEqual({ file: "last" });
  });
});
