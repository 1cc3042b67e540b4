import { describe, expect, it } from "vitest";
import { stopToAsk } from "../../src/ledger/ledger-questions.ts";

const facts = (fresh: number) => ({
  file: "orders.csv",
  table: "commandes",
  counts: { creates: 5, equal: 0, fresh, repeated: 0, changed: 0, newlyChanged: 0 },
  openRuns: [],
  deltaCreates: 5,
  identities: [],
  words: "",
  freshLines: [],
});

describe("the question about creates of which some match none made before", () => {
  it("names their lines", () => {
    const counts = { ...facts(2).counts, equal: 3 };
    const ask = (freshLines: readonly number[], fresh = 2) =>
      stopToAsk({ kind: "equal", sources: [] }, { ...facts(2), counts: { ...counts, fresh }, freshLines })
        .hint;
    expect(ask([7, 9])).toContain("rows that match none: lines 7, 9\n");
    expect(ask([7], 1)).toContain("rows that match none: line 7\n");
    expect(ask([1, 2], 30)).toContain("rows that match none: lines 1, 2 ...\n");
    expect(ask([])).not.toContain("rows that match none");
  });
});

describe("the question about a file", () => {
  it("says that an option answers for all files of the command, and that the command is to be repeated", () => {
    const { hint } = stopToAsk({ kind: "incomparable", sources: [] }, facts(5));
    expect(hint).toContain("what it creates of this file (it counts for all files of the command):");
    expect(hint).toContain("--again   creates 5: all of them, in all files of the command,");
    expect(hint).toMatch(/ledger add orders\.csv .* then the same command again$/m);
  });

  it("offers no command for a file that none can read", () => {
    for (const file of ["-", "<stdin>"]) {
      const { hint } = stopToAsk({ kind: "incomparable", sources: [] }, { ...facts(5), file });
      expect(hint).not.toContain("ledger add");
    }
  });
});

describe("the answers to a question", () => {
  it("are the same in words for a person and for a script, but for the identities after the first", () => {
    const identities = [
      { field: "num", creates: 1 },
      { field: "ref", creates: 2 },
    ];
    const { hint = "", choices = [] } = stopToAsk(
      { kind: "incomparable", sources: [] },
      { ...facts(5), identities },
    );
    const { answers = [], effects = [] } = choices[0] ?? {};
    expect(answers).toEqual(["--exports full --identify-by num", "--exports full", "--exports delta"]);
    for (const [at, answer] of answers.entries()) {
      const [effect = "", creates = ""] = effects[at]?.split(": ") ?? [];
      expect(hint).toContain(`  ${answer}   ${creates}: ${effect}\n`);
    }
    expect(hint).toContain("  --exports full --identify-by ref   creates 2: each file holds");
  });
});
