import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteWord, splitWords } from "../../src/model/shell-word.ts";

const word = fc.string({ unit: fc.constantFrom(...Array.from("ab =\"'$`\\!é;%&|<> \n\t*~#")) });

describe("words for a shell", () => {
  it("are cut as they were quoted", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        expect(splitWords(words.map(quoteWord).join(" "))).toEqual(words);
      }),
    );
  });

  it("are what a shell makes of them", () => {
    const words = fc.sample(word, { numRuns: 300, seed: 1 });
    const line = `printf '%s\\0' ${words.map(quoteWord).join(" ")}`;
    const printed = spawnSync("sh", ["-c", line], { encoding: "utf8" }).stdout;
    expect(printed.split("\0").slice(0, -1)).toEqual(words);
  });
});
