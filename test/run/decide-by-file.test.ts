import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameDoubt } from "../../src/journal/name-doubt.ts";
import { RunAccount } from "../../src/journal/run-account.ts";
import { rangesOf } from "../../src/journal/number-ranges.ts";
import { parseDoubtedBatch, spellDoubtedBatch } from "../../src/model/doubted-batch.ts";
import { matchRows } from "../../src/run/decide-by-file.ts";

const row = (print: string) => ({ print, line: print.slice(0, 1), batch: "" });

/** Records of one batch that are in doubt. */
function inDoubt(ordinals: readonly number[]): RunAccount {
  const account = new RunAccount();
  const stretch = { batch: 1, kind: "create", ordinals: rangesOf(ordinals), lines: [1, 9] } as const;
  account.take({ entry: "intent", ...stretch });
  account.take({ entry: "outcome", ...stretch, outcome: "inDoubt", status: undefined, msg: "", attempts: 1 });
  return account;
}

describe("the rows of a file in doubt", () => {
  const prints = fc.array(fc.stringMatching(/^[1-3][ab]$/), { minLength: 1, maxLength: 12 });

  it("are those left, in any order, counted where two are equal", () => {
    fc.assert(
      fc.property(prints, fc.infiniteStream(fc.boolean()), fc.nat(), (all, chooses, turn) => {
        const isWanted = all.map(() => chooses.next().value === true);
        const left = all.filter((_, at) => isWanted[at]).map(row);
        const turned = [...left.slice(turn % (left.length + 1)), ...left.slice(0, turn % (left.length + 1))];
        const found = matchRows("f", turned, all.map(row));
        const kept = all.filter((_, at) => found[at] === true);
        expect(kept.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
          left.map(({ print }) => print).toSorted((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );
  });

  it("are refused where one is there more often than it is in doubt", () => {
    fc.assert(
      fc.property(prints, fc.nat(), (all, at) => {
        const rows = [...all, all[at % all.length]!].map(row);
        expect(() => matchRows("f", rows, all.map(row))).toThrow(/twice/);
      }),
    );
  });

  it("name a batch so that it can be read back", () => {
    const about = { batch: "3", run: "20261121-074803-51baa3", doubt: "0123abcd" };
    expect(parseDoubtedBatch(spellDoubtedBatch(about))).toEqual(about);
    expect(parseDoubtedBatch(`${spellDoubtedBatch(about)} `)).toBeUndefined();
  });
});

describe("the name of a run's doubt", () => {
  it("is the same for the same records, and another for others or after a decision", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30), { minLength: 1 }), fc.nat(30), (numbers, other) => {
        const sorted = numbers.toSorted((a, b) => a - b);
        const name = nameDoubt(inDoubt(sorted));
        expect(nameDoubt(inDoubt(sorted))).toBe(name);
        const more = [...new Set([...sorted, other + 31])];
        expect(nameDoubt(inDoubt(more))).not.toBe(name);
        const decided = inDoubt(sorted);
        decided.take({ entry: "decision", inDoubt: "resend", at: "", of: { update: [], create: [] } });
        expect(nameDoubt(decided)).not.toBe(name);
      }),
    );
    expect(nameDoubt(new RunAccount())).toBeUndefined();
  });
});

describe("a decision by rows", () => {
  it("counts the deleted ones as applied, and sends the others", () => {
    const account = inDoubt([0, 1, 2, 3]);
    const file = { doubt: "0123abcd", sha256: "ab" };
    const of = { update: [], create: [[1, 2]] } as const;
    const applied = {
      update: [],
      create: [
        [0, 0],
        [3, 3],
      ],
    } as const;
    account.take({ entry: "decision", inDoubt: "resend", at: "", of, applied, file });
    expect([0, 1, 2, 3].map((at) => account.standingOf("create", at))).toEqual([
      "accepted",
      undefined,
      undefined,
      "accepted",
    ]);
    expect(account).toMatchObject({ assumedApplied: 2, decidedBy: file });
  });
});
