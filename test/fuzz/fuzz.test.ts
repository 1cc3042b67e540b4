import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { type FuzzCase } from "./fuzz-case.ts";
import { judgeCase, judgeMutated, loadBases } from "./judge-case.ts";
import { draws } from "../support/draws.ts";

const BASES = loadBases(fixture(""));
const PLAIN = { encoding: "as it is", packing: "plain" } as const;
const UNCHANGED: FuzzCase = { base: "", edits: [], ...PLAIN, chunk: 7, options: {} };

describe("mutated files", () => {
  it("are read as they are or refused, however they are cut", async () => {
    expect(BASES.length).toBeGreaterThan(50);
    await fc.assert(judgeMutated(BASES), draws(80));
  });

  it.each(BASES)("hold when nothing is changed: $name", async ({ bytes }) => {
    await expect(judgeCase(UNCHANGED, bytes)).resolves.toBeUndefined();
  });
});
