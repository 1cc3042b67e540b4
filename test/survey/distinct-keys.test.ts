import { describe, expect, it } from "vitest";
import type { SurveyCounts } from "../../src/model/counts.ts";
import { hasDistinctKeys } from "../../src/survey/survey-inputs.ts";

const CERTAIN: SurveyCounts = {
  rows: 2,
  updates: 2,
  creates: 0,
  skipped: 0,
  superseded: 0,
  invalid: 0,
  invalidBytes: 0,
  repeatedKeys: 0,
  repeatedKeysBounded: false,
};

describe("hasDistinctKeys", () => {
  it.each([
    ["every key was counted and none stood before", CERTAIN, true],
    ["a key stood before", { ...CERTAIN, repeatedKeys: 1 }, false],
    ["there were more keys than are counted", { ...CERTAIN, repeatedKeysBounded: true }, false],
  ])("where %s", (_, counts, isDistinct) => expect(hasDistinctKeys(counts)).toBe(isDistinct));
});
