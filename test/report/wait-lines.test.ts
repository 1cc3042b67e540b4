import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { openPaint, SILENT_PROGRESS } from "../../src/report/terminal-lines.ts";
import { createTextReporter } from "../../src/report/text-reporter.ts";

describe("a wait", () => {
  it.each([
    ["verbose", 1, 1],
    ["normal", 2000, 0],
    ["normal", 2001, 1],
    ["brief", 2000, 0],
    ["brief", 2001, 1],
    ["quiet", 60_000, 0],
    ["quiet", 60_001, 1],
  ] as const)("is told under %s, if it is of %i ms, in lines: %i", async (amount, ms, times) => {
    const remarks = new PassThrough({ encoding: "utf8" });
    const plain = await openPaint({}, {}, "never");
    const paint = { results: plain, remarks: plain };
    const reporter = createTextReporter({
      results: new PassThrough(),
      remarks,
      progress: SILENT_PROGRESS,
      paint,
      amount,
      isCheck: false,
    });
    reporter.emit({ event: "waiting", ms, reason: "429 slow down", isAsked: true });
    const told = (remarks.read() as string | null) ?? "";
    expect(told.match(/^waiting .*: 429 slow down$/gm) ?? []).toHaveLength(times);
  });

  it("is not told where progress is drawn, which counts it down", async () => {
    const remarks = new PassThrough({ encoding: "utf8" });
    const plain = await openPaint({}, {}, "never");
    const reporter = createTextReporter({
      results: remarks,
      remarks,
      progress: { ...SILENT_PROGRESS, grow: () => undefined },
      paint: { results: plain, remarks: plain },
      amount: "normal",
      isCheck: false,
    });
    reporter.emit({ event: "waiting", ms: 30_000, reason: "429 slow down", isAsked: true });
    expect(remarks.read()).toBe(null);
  });
});
