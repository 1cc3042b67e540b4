import { describe, expect, it } from "vitest";
import type { RunEnd } from "../../src/model/run-end.ts";
import { adviseNext } from "../../src/report/next-steps.ts";

const END: RunEnd = {
  read: 10,
  counts: { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 10, skipped: 0 },
  batches: 0,
  whereabouts: [],
  createsSent: false,
  unpinned: [],
  failure: undefined,
};

describe("adviseNext", () => {
  it.each([
    [0, false, true],
    [0, true, false],
    [1, false, true],
    [2, false, false],
    [3, false, false],
    [4, false, false],
    [5, false, false],
    [6, false, false],
    [7, false, true],
    [7, true, false],
    [8, true, false],
    [130, false, true],
    [143, true, false],
  ])("after exit %i with creates sent %s says it is safe to run again: %s", (code, createsSent, safe) => {
    expect(adviseNext({ ...END, createsSent }, code).safeToRerun).toBe(safe);
  });

  it.each([4, 5, 6, 7, 8, 129, 130, 143])(
    "after exit %i says what to do, and warns once creates were sent",
    (code) => {
      const end = { ...END, createsSent: true, counts: { ...END.counts, accepted: 5, notSent: 5 } };
      const { next } = adviseNext(end, code);
      expect(next.length).toBeGreaterThan(0);
      expect(next.join(" ")).toContain("do not run the same command again");
    },
  );

  it("names no command that does not exist", () => {
    for (const code of [1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 143]) {
      const { next, reason } = adviseNext({ ...END, createsSent: true }, code);
      expect(`${next.join(" ")} ${reason}`).not.toMatch(/resume|in-doubt/);
    }
  });
});
