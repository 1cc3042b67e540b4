import { describe, expect, it } from "vitest";
import {
  countingSources,
  type CreateCounts,
  type ExportsOptions,
  type LedgerSource,
  questionOn,
} from "../../src/ledger/exports-rule.ts";

const COUNTS: CreateCounts = { creates: 0, equal: 0, changed: 0, newlyChanged: 0, fresh: 0, repeated: 0 };
const UNSAID: ExportsOptions = { exports: undefined, identity: undefined, keepsLast: false };
const FULL = { ...UNSAID, exports: "full" } as const;
const BY = { ...FULL, identity: ["num_commande"] };

function source(facts: Partial<LedgerSource> = {}): LedgerSource {
  return {
    kind: "created",
    run: "r1",
    startedAt: "2026-01-01",
    file: "a.csv",
    content: "before",
    dbVersion: null,
    runKey: null,
    leavesRows: false,
    shape: "same",
    hashed: [],
    isOpen: false,
    scan: () => Promise.resolve(),
    ...facts,
  };
}

const DELTA = { ...BY, exports: "delta" } as const;
const TWICE = { counts: { ...COUNTS, repeated: 1 }, missing: 0 };

/** How many creates of a file are equal to earlier ones, and how many of the earlier ones it lacks. */
const shares = (equal: number, creates: number, missing = 0) => ({
  counts: { ...COUNTS, creates, equal, fresh: creates - equal },
  missing,
});

describe("creates that are equal to earlier ones", () => {
  it.each([
    ["3 of 5, more than half", shares(3, 5), {}, undefined],
    ["3 of 6, half", shares(3, 6), {}, "equal"],
    ["2 of 2, fewer than 3", shares(2, 2), {}, "equal"],
    ["20 of 1,000", shares(20, 1000), {}, undefined],
    ["19 of 1,000", shares(19, 1000), {}, "equal"],
    ["5 of 5, where one more was created", shares(5, 5, 1), {}, "equal"],
    ["1 of 5 of exactly this content", shares(1, 5, 1), { isSameContent: true }, undefined],
    ["5 of 5, under another database version", shares(5, 5), { dbVersion: "2" }, "equal"],
    ["none, and others of the same columns", shares(0, 5, 5), {}, undefined],
    ["none, and others of other columns only", shares(0, 5, 5), { shape: "other" }, "incomparable"],
    ["5 of 6, in full exports", shares(5, 6, 9), { options: FULL }, undefined],
    ["none, in full exports of other columns", shares(0, 5, 5), { shape: "other", options: FULL }, undefined],
    ["one identity twice", TWICE, { options: BY }, "repeated"],
    [
      "one identity twice, of which the last counts",
      TWICE,
      { options: { ...BY, keepsLast: true } },
      undefined,
    ],
    ["earlier ones without this identity", shares(0, 5, 1), { options: BY }, "unidentified"],
    ["the same, and nothing is new", shares(5, 5, 1), { options: BY }, undefined],
    ["the same, in new rows only", shares(0, 5, 1), { options: DELTA }, undefined],
  ] as const)("%s", (_, { counts, missing }, given, expected) => {
    const usual = { isSameContent: false, dbVersion: null as string | null, shape: "same", options: UNSAID };
    const { isSameContent, options, ...about } = { ...usual, ...given };
    const compared = { shared: [{ shared: counts.equal, missing }], unidentified: missing };
    const question = questionOn(counts, compared, isSameContent, [source()], about, options);
    expect(question?.kind).toBe(expected);
  });
});

describe("the earlier pushes that count where files hold new rows only", () => {
  it.each([
    ["one of this content", { content: "own" }, undefined, true],
    ["one of other content", {}, undefined, false],
    ["one that left rows", { leavesRows: true }, undefined, true],
    ["what the user added", { kind: "added" as const }, undefined, true],
    ["one that began after these rows were left", {}, "2025-12-31", true],
    ["one that began before", {}, "2026-01-02", false],
  ])("%s", (_, facts, since, counts) => {
    const all = [source(facts)];
    expect(countingSources(all, { exports: "delta" }, { content: "own", since })).toEqual(counts ? all : []);
    expect(countingSources(all, FULL, { content: "own", since })).toEqual(all);
  });
});
