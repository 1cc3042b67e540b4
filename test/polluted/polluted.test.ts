import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { pollute } from "./pollute.ts";
import { scorePolluted } from "./score-polluted.ts";

/**
 * Well-formed files with other content: a code page that was not named, other words in the header, blanks in text, repeated
 * rows, signs around texts that are quotes only under `--quote`.
 */
const OTHER_CONTENT =
  /^quote ['|]|^macroman|^header in capitals|^blanks around cells|^second table[^:]*: the same columns/;

describe("a file polluted in one way", () => {
  it("gives no wrong row and, unless it is refused, nearly all clean rows, with no option but --on-invalid skip", async () => {
    const files = [...pollute(9)].filter(({ name }) => !OTHER_CONTENT.test(name));
    expect(files.length).toBeGreaterThan(500);
    const score = await scorePolluted(files.filter((_, at) => atNight || at % 5 === 0));
    expect(score.wrong).toEqual([]);
    expect(score.exact / score.readable).toBeGreaterThanOrEqual(0.97);
  });
});
