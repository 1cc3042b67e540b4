import { describe, expect, it } from "vitest";
import { RunAccount } from "../../src/store/count-run.ts";
import type { JournalEntry } from "../../src/store/journal.ts";
import { stateOf } from "../../src/store/summarise-run.ts";
import { takeEntries } from "../support/take-entries.ts";
import { BEGIN, END, FACTS, intent, outcome } from "./run-facts.ts";

function accountOf(...entries: readonly JournalEntry[]): RunAccount {
  const account = new RunAccount(FACTS);
  takeEntries(account, BEGIN, ...entries);
  return account;
}

const MACHINE_END: JournalEntry =
  END.entry === "end" ? { ...END, end: { ...END.end, exitCode: 1, reason: "a full disk" } } : END;

const DECISION = { entry: "decision", doubt: "0123abcd", at: "" } as const;

const standings = (account: RunAccount, kind: "update" | "create"): (string | undefined)[] =>
  Array.from({ length: 10 }, (_, ordinal) => account.standingOf(kind, ordinal));

describe("RunAccount", () => {
  it("takes creates that were announced and have no outcome as in doubt", () => {
    const account = accountOf(intent(0, 4), outcome("create", "accepted", [0, 4]), intent(5, 9, 2));
    expect(standings(account, "create")).toEqual([
      ...Array<string>(5).fill("accepted"),
      ...Array<string>(5).fill("inDoubt"),
    ]);
    expect(account.doubts).toEqual([
      { batch: 2, kind: "create", lines: [7, 11], records: 5, isRefused: false },
    ]);
  });

  it("takes them as not applied once their process has ended in order", () => {
    const account = accountOf(intent(0, 4), END);
    expect(account.standingOf("create", 0)).toBeUndefined();
    expect(account.hasCreates).toBe(false);
  });

  it("are not settled by updates with the same places", () => {
    expect(accountOf(intent(0, 4), outcome("update", "accepted", [0, 4])).doubts).toHaveLength(1);
  });

  it("keeps them in doubt when another process has taken the run up", () => {
    const account = accountOf(intent(0, 4), BEGIN, END);
    expect(account.countOf("create", "inDoubt")).toBe(5);
    expect(account.doubts).toHaveLength(1);
  });

  it("has only the pieces in doubt that were announced after the whole was refused", () => {
    const account = accountOf(intent(0, 9), intent(0, 4), outcome("create", "accepted", [0, 4]));
    expect(standings(account, "create").slice(4)).toEqual(["accepted", ...Array<undefined>(5)]);
    expect(accountOf(intent(0, 9), intent(0, 4)).countOf("create", "inDoubt")).toBe(5);
  });

  it("sends failed records again, and counts them as failed until then", () => {
    const failed = [outcome("update", "failed", [0, 4])] as const;
    expect(accountOf(...failed).count("failed")).toBe(5);
    expect(accountOf(...failed).standingOf("update", 0)).toBeUndefined();
    expect(accountOf(...failed, END, BEGIN).count("failed")).toBe(0);
  });

  it("names its doubt by the numbers and the sums of the lines that announced it", () => {
    const named = (number: number, sum: number, batch = 1): string | undefined => {
      const account = accountOf();
      account.take(intent(0, 4, batch), { number, sum });
      return account.doubt;
    };
    expect(named(2, 1, 2)).toBe(named(2, 1));
    expect(new Set([named(2, 1), named(2, 2), named(3, 1), accountOf().doubt]).size).toBe(4);
  });

  it("counts what the user says was applied as accepted", () => {
    const account = accountOf(intent(0, 4), BEGIN, { ...DECISION, inDoubt: "applied" });
    expect([account.count("accepted"), account.doubts]).toEqual([5, []]);
  });

  it("sends again what the user says was not applied", () => {
    const account = accountOf(intent(0, 4), BEGIN, { ...DECISION, inDoubt: "resend" });
    expect([account.standingOf("create", 0), account.count("inDoubt")]).toEqual([undefined, 0]);
  });

  it.each<[string, readonly JournalEntry[]]>([
    ["unfinished", [outcome("update", "accepted", [0, 9])]],
    ["unfinished", [outcome("update", "failed", [0, 9]), outcome("create", "accepted", [0, 9])]],
    ["unsettled", [outcome("update", "accepted", [0, 9]), outcome("create", "inDoubt", [0, 9])]],
    ["unsettled", [outcome("update", "refused", [0, 9]), intent(0, 9)]],
    ["finished", [outcome("update", "accepted", [0, 9]), outcome("create", "accepted", [0, 9])]],
    ["finished", [outcome("update", "refused", [0, 9]), outcome("create", "accepted", [0, 9]), END]],
    // The rejects may not have been written.
    ["unfinished", [outcome("update", "refused", [0, 9]), outcome("create", "accepted", [0, 9])]],
    [
      "unfinished",
      [outcome("update", "refused", [0, 9]), outcome("create", "accepted", [0, 9]), MACHINE_END],
    ],
    ["abandoned", [{ entry: "abandon", at: "" }]],
  ])("is %s", (state, entries) => {
    expect(stateOf(accountOf(...entries))).toBe(state);
  });
});
