import { describe, expect, it } from "vitest";
import { pollute } from "./pollute.ts";
import { scorePolluted } from "./score-polluted.ts";

/**
 * Ways that leave a well-formed file with other content, so that no reader can tell: a quote or a line end put into a
 * cell, quotes around a line end taken away, a code page nobody named, other words in the header, a second table with
 * as many columns.
 */
const OTHER_CONTENT =
  /(quote|line end) (behind|inside) cell|(opening quote|quotes) of cell \d+ missing|^macroman|^header in capitals|^blanks around cells|^second table.*: as many other/;

describe("a file polluted in one way", () => {
  it("gives no wrong row and, unless it is refused, nearly all clean rows, with no option but --on-invalid skip", async () => {
    const files = [...pollute(9)].filter(({ name }) => !OTHER_CONTENT.test(name));
    expect(files.length).toBeGreaterThan(500);
    const score = await scorePolluted(files);
    expect(score.wrong).toEqual([]);
    expect(score.exact / score.readable).toBeGreaterThanOrEqual(0.97);
  });
});
