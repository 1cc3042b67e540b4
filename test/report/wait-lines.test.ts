import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createPlainProgress } from "../../src/report/plain-progress.ts";
import { createWaitLines } from "../../src/report/terminal-lines.ts";

describe("a wait", () => {
  it.each([
    [2000, false, false],
    [2001, true, false],
    [60_000, true, false],
    [60_001, true, true],
  ])("of %i ms is told: %s, under --quiet: %s", (forMs, isTold, isToldQuietly) => {
    const event = { kind: "waiting", forMs, why: "429 slow down", isAsked: true } as const;
    const stderr = new PassThrough({ encoding: "utf8" });
    const never = { now: () => 0, every: () => () => undefined };
    for (const [progress, expected] of [
      [createPlainProgress(stderr, never), isTold],
      [createWaitLines(stderr, false), isTold],
      [createWaitLines(stderr, true), isToldQuietly],
    ] as const) {
      progress.update(event);
      const told = (stderr.read() as string | null) ?? "";
      expect(/^waiting .*: 429 slow down\n$/.test(told)).toBe(expected);
    }
  });
});
