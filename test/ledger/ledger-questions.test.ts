import { describe, expect, it } from "vitest";
import { stopToAsk } from "../../src/ledger/ledger-questions.ts";

const facts = (fresh: number) => ({
  file: "orders.csv",
  table: "commandes",
  counts: { creates: 5, equal: 0, fresh, repeated: 0, changed: 0, newlyChanged: 0 },
  hasOtherRows: false,
  openRuns: [],
  earlier: [],
  deltaCreates: 5,
  identities: [],
  words: "",
  unmatched: undefined,
});

describe("the question about records that are in doubt and have no identity", () => {
  it("has no answer for some of them where there is one", () => {
    const { hint } = stopToAsk({ kind: "unsettled", unsettled: new Map([["RUN", 1]]) }, facts(1));
    expect(hint).toContain("rec-push resume RUN --in-doubt applied   it is there");
    expect(hint).toContain("rec-push resume RUN --in-doubt absent    it is not");
    expect(hint).not.toContain("only some");
  });

  it("has one where there are more", () => {
    const { hint } = stopToAsk({ kind: "unsettled", unsettled: new Map([["RUN", 1200]]) }, facts(1));
    expect(hint).toContain("applied   all 1,200 are there");
    expect(hint).toContain("rec-push runs RUN                        only some are");
  });
});
