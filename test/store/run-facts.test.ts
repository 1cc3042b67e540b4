import { readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { notePushed, type PushedContent, readPushed } from "../../src/store/run-facts.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { FACTS } from "./run-facts.ts";

const { identity } = FACTS;
const word = (run: string): PushedContent => ({
  run,
  startedAt: "2026-11-21",
  file: "a.csv",
  hasCreates: true,
});

async function noted(...words: readonly PushedContent[]): Promise<{ contents: string; path: string }> {
  const contents = await makeDirectory();
  for (const pushed of words) await notePushed(contents, identity, pushed);
  const [name = ""] = await readdir(contents);
  return { contents, path: join(contents, name) };
}

describe("what is kept of pushed contents", () => {
  it("is the last word on each run, in the order of their first", async () => {
    const { contents } = await noted(word("a"), word("b"), { ...word("a"), exitCode: 4 });
    expect(await readPushed(contents, identity)).toEqual([{ ...word("a"), exitCode: 4 }, word("b")]);
    expect(await readPushed(contents, { ...identity, runKey: "2026-12" })).toEqual([]);
  });

  it("outlives a crash at any byte of the last word, also where another word follows", async () => {
    const { path, contents } = await noted(word("a"));
    const before = (await readFile(path)).length;
    await notePushed(contents, identity, word("torn"));
    const whole = await readFile(path);
    for (let bytes = before; bytes < whole.length; bytes++) {
      await writeFile(path, whole);
      await truncate(path, bytes);
      expect(await readPushed(contents, identity)).toEqual([word("a")]);
      await notePushed(contents, identity, word("c"));
      expect(await readPushed(contents, identity)).toEqual([word("a"), word("c")]);
    }
  });

  it("is refused where a whole word is damaged", async () => {
    const { path, contents } = await noted(word("a"), word("b"));
    await writeFile(path, (await readFile(path, "utf8")).replace('"run":"a"', '"run":"c"'));
    await expect(readPushed(contents, identity)).rejects.toMatchObject({ code: "state-directory" });
  });
});
