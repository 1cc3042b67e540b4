import { describe, expect, it } from "vitest";
import { TypedLook } from "../../../src/fields/survey/column-evidence.ts";
import { type Cell, JsonNumber } from "../../../src/model/rows.ts";

describe("TypedLook", () => {
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
    const look = new TypedLook();
    for (const cell of cells) look.add(cell);
    expect(look.verdict()).toBe(verdict);
  });
});
