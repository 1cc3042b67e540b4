import { describe, expect, it } from "vitest";
import { hasDistinctKeys } from "../../src/prepare/distinct-keys.ts";

const CERTAIN = { repeatedKeys: 0, repeatedKeysBounded: false };

describe("hasDistinctKeys", () => {
  it.each([
    ["every key was counted and none stood before", CERTAIN, true],
    ["a key stood before", { ...CERTAIN, repeatedKeys: 1 }, false],
    ["there were more keys than are counted", { ...CERTAIN, repeatedKeysBounded: true }, false],
    ["nothing was surveyed", { ...CERTAIN, isStreamed: true as const }, false],
  ])("where %s", (_, report, isDistinct) => expect(hasDistinctKeys(report)).toBe(isDistinct));
});
