import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { openPaint, SILENT_PROGRESS } from "../../src/report/terminal-lines.ts";
import { createTextReporter } from "../../src/report/text-reporter.ts";

type Amount = Parameters<typeof createTextReporter>[0]["amount"];

/** What a reporter says of a wait on standard error. */
async function told(ms: number, amount: Amount, progress = SILENT_PROGRESS): Promise<string> {
  const remarks = new PassThrough({ encoding: "utf8" });
  const plain = await openPaint({}, {}, "never");
  const paint = { results: plain, remarks: plain };
  const reporter = createTextReporter({ results: remarks, remarks, progress, paint, amount, isCheck: false });
  reporter.emit({ event: "waiting", ms, reason: "429 slow down", isAsked: true });
  return (remarks.read() as string | null) ?? "";
}

describe("a wait", () => {
  it.each<[Amount, number, number]>([
    ["verbose", 1, 1],
    ["normal", 2000, 0],
    ["normal", 2001, 1],
    ["brief", 2000, 0],
    ["brief", 2001, 1],
    ["quiet", 60_000, 0],
    ["quiet", 60_001, 1],
  ])("is told under %s, if it is of %i ms, in lines: %i", async (amount, ms, times) => {
    expect((await told(ms, amount)).match(/^waiting .*: 429 slow down$/gm) ?? []).toHaveLength(times);
  });

  it("is not told where progress is drawn, which counts it down", async () => {
    expect(await told(30_000, "normal", { ...SILENT_PROGRESS, grow: () => undefined })).toBe("");
  });
});
