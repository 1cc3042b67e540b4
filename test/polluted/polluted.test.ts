import { describe, expect, it } from "vitest";
import { pollute } from "./pollute.ts";
import { scorePolluted } from "./score-polluted.ts";

/**
 * Ways left out here, in which a wrong row can still be sent: known gaps (a line end put into a cell, lost quotes around
 * one, a second table with as many columns, an unnamed code page), and files that say something else (a quote put into a
 * cell, other words in the header, blanks around text).
 */
const NOT_COVERED =
  /(quote|line end) (behind|inside) cell|(opening quote|quotes) of cell \d+ missing|^macroman|^header in capitals|^blanks around cells|^second table.*: as many other/;

describe("a file polluted in one way", () => {
  it("gives no wrong row, in the ways covered, and, unless it is refused, nearly all clean rows, with no option but --on-invalid skip", async () => {
    const files = [...pollute(9)].filter(({ name }) => !NOT_COVERED.test(name));
    expect(files.length).toBeGreaterThan(500);
    const score = await scorePolluted(files);
    expect(score.wrong).toEqual([]);
    expect(score.exact / score.readable).toBeGreaterThanOrEqual(0.97);
  });
});
