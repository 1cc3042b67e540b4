import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineNames, parseDoubtedRow, spellDoubtedRow } from "../../src/files/doubt-files.ts";
import { RunAccount } from "../../src/store/count-run.ts";
import { beginning } from "../../src/store/open-run.ts";
import { FACTS } from "../store/run-facts.ts";
import { takeEntries } from "../support/take-entries.ts";

const STRETCH = { batch: 1, kind: "create", ordinals: [[0, 3]], lines: [1, 9] } as const;
const LOST = { outcome: "inDoubt", status: undefined, msg: "", attempts: 1 } as const;
const ANNOUNCED = { entry: "intent", ...STRETCH, prints: "" } as const;
const IN_DOUBT = { entry: "outcome", ...STRETCH, ...LOST } as const;

/** Four records of one batch that are in doubt. */
function inDoubt(): RunAccount {
  const account = new RunAccount(FACTS);
  takeEntries(account, ANNOUNCED, IN_DOUBT);
  return account;
}

describe("the rows of a file in doubt", () => {
  it("are named so that the names can be read back", () => {
    const about = { line: "12", run: "20261121-074803-51baa3", doubt: "0123abcd" };
    expect(parseDoubtedRow(spellDoubtedRow(about))).toEqual(about);
    expect(parseDoubtedRow(`${spellDoubtedRow(about)} `)).toBeUndefined();
    expect(parseDoubtedRow(spellDoubtedRow(about).slice(0, -20))).toBeUndefined();
  });

  it("have names of their own where several are in one line", () => {
    const lines = fc.array(fc.nat(5), { maxLength: 20 }).map((some) => some.toSorted((a, b) => a - b));
    fc.assert(fc.property(lines, (some) => new Set(some.map(createLineNames())).size === some.length));
    expect([1, 1, 2, 2, 2].map(createLineNames())).toEqual(["1", "1.2", "2", "2.2", "2.3"]);
  });
});

describe("the name of a run's doubt", () => {
  it("is made of what announced it, so that the same records in doubt again have another name", () => {
    const account = inDoubt();
    const { doubt = "" } = account;
    expect(doubt).toMatch(/^[0-9a-f]{8}$/);
    expect(inDoubt().doubt).toBe(doubt);
    takeEntries(account, { entry: "decision", doubt, inDoubt: "resend", at: "" });
    expect([account.doubt, account.decided[doubt]]).toEqual([undefined, "resend"]);
    takeEntries(account, ANNOUNCED, IN_DOUBT);
    expect(account.doubt).toMatch(/^[0-9a-f]{8}$/);
    expect(account.doubt).not.toBe(doubt);
  });

  it("is the same before and after the process that announced it is known to have ended", () => {
    const account = new RunAccount(FACTS);
    takeEntries(account, ANNOUNCED);
    const { doubt } = account;
    takeEntries(account, beginning());
    expect(account.doubt).toBe(doubt);
  });

  it("changes with every request that comes into doubt, and there is none if nothing is", () => {
    const account = inDoubt();
    const { doubt } = account;
    const more = { ...STRETCH, batch: 2, ordinals: [[4, 5]] } as const;
    takeEntries(account, { entry: "intent", ...more, prints: "" });
    expect(account.doubt).not.toBe(doubt);
    takeEntries(account, { entry: "outcome", ...more, ...LOST, outcome: "accepted" });
    expect(account.doubt).toBe(doubt);
    expect(new RunAccount(FACTS).doubt).toBeUndefined();
  });
});

describe("a decision by rows", () => {
  it("counts the deleted ones as applied, and sends the others", () => {
    const account = inDoubt();
    const applied = [
      [0, 0],
      [3, 3],
    ] as const;
    const { doubt = "" } = account;
    takeEntries(account, { entry: "decision", doubt, inDoubt: "resend", at: "", applied });
    expect([0, 1, 2, 3].map((at) => account.standingOf("create", at))).toEqual([
      "accepted",
      undefined,
      undefined,
      "accepted",
    ]);
  });
});
