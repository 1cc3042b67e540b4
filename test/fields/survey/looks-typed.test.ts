import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { looksTyped } from "../../../src/fields/survey/plain-cells.ts";
import { type Cell, JsonNumber } from "../../../src/model/problem-groups.ts";

describe("looksTyped", () => {
  it.each<[readonly Cell[], "date" | "amount" | undefined]>([
    [["05/07/2016", " 26/03/2024"], "date"],
    [["2016/07/05"], "date"],
    [["2016-07-05"], undefined],
    [["05/07/2016", "2016-07-05"], undefined],
    [["05/07/2016", "pending"], undefined],
    [["437,50", "595"], "amount"],
    [["1 437", "595"], "amount"],
    [["1,234"], "amount"],
    [["1,234.5"], "amount"],
    [["437.50", "595"], undefined],
    [["595", "12"], undefined],
    [["437,50", "n/a"], undefined],
    [["437,50", new JsonNumber("5")], undefined],
    [[true], undefined],
    [[], undefined],
  ])("takes %j for %s", (cells, verdict) => {
    const look = looksTyped();
    for (const cell of cells) look.add(cell);
    expect(look.verdict()).toBe(verdict);
  });

  it("comes to the same verdict from the bytes of cells", () => {
    const date = fc.constantFrom(
      "05/07/2016",
      "26/03/2024",
      "31/02/2016",
      "2016/07/05",
      "05-07-2016",
      "5/7/2016",
    );
    const amount = fc.constantFrom(
      "437,50",
      "595",
      "1 437",
      "1,234",
      "1 234,5",
      "437.50",
      "-3,20",
      "0,5",
      "12 34",
      "x",
    );
    const verdicts = new Set<string | undefined>();
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(date, amount).chain((first) =>
          fc.array(
            fc.oneof(
              { weight: 8, arbitrary: /\//.test(first) ? date : amount },
              { weight: 1, arbitrary: amount },
            ),
            {
              maxLength: 6,
            },
          ),
        ),
        (texts) => {
          const [byBytes, byText] = [looksTyped(), looksTyped()];
          for (const text of [...texts, ...texts]) {
            byText.add(text);
            const bytes = Buffer.from(`;${text}`);
            if (byBytes.addBytes(bytes, 1, bytes.length)) taken += 1;
            else byBytes.add(text);
          }
          expect(byBytes.verdict()).toBe(byText.verdict());
          verdicts.add(byText.verdict());
        },
      ),
      { numRuns: 2000 },
    );
    expect(verdicts.size).toBe(3);
    expect(taken).toBeGreaterThan(2000);
  });
});
