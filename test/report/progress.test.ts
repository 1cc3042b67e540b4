import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RunEvent } from "../../src/model/event.ts";
import { createPlainProgress, createTerminalProgress, RunProgress } from "../../src/report/progress.ts";
import { isColoured, textWidth } from "../../src/report/terminal-lines.ts";

const at = (settledRows: number): RunEvent => ({ event: "progress", settledRows, totalRows: 300_000 });

/** The lines drawn after events at these milliseconds. */
function draw(
  events: readonly (readonly [ms: number, event: RunEvent])[],
  nowMs: number,
  columns = 120,
): string {
  const progress = new RunProgress();
  for (const [ms, event] of events) progress.note(event, ms);
  return progress.draw(nowMs, columns)!;
}

const RUNNING: readonly (readonly [number, RunEvent])[] = [
  [1000, at(30_000)],
  [6000, at(90_000)],
];

describe("the progress line", () => {
  it("has share, rows, time left and speed", () => {
    expect(draw(RUNNING, 6000)).toBe("30 %, 90,000 of 300,000 rows, 18 s left, 12,000 rows/s");
  });

  it("is there before the first answer", () => {
    expect(draw([[0, at(0)]], 9000)).toBe("0 %, 0 of 300,000 rows");
  });

  it("says that a service has not answered for long", () => {
    expect(draw([[0, at(0)]], 60_000)).toBe("no answer for 1 min 00 s, 0 %, 0 of 300,000 rows");
    expect(draw([...RUNNING, [6000, at(90_000)]], 16_000)).toMatch(/^no answer for 10 s, 30 %, /);
  });

  it.each([20, 30, 40, 60, 80, 200])("is never wider than %i columns", (columns) => {
    expect(textWidth(draw(RUNNING, 6000, columns))).toBeLessThanOrEqual(columns);
    expect(draw(RUNNING, 6000, columns)).toContain("30 %");
  });

  it("counts a wait down, and says who asked for it", () => {
    const wait = { event: "waiting", ms: 12_000, reason: "429 Too many" } as const;
    const waiting = (isAsked: boolean): RunEvent => ({ ...wait, isAsked });
    expect(draw([...RUNNING, [6000, waiting(true)]], 6000)).toContain("waiting 12 s, the service said so");
    expect(draw([...RUNNING, [6000, waiting(true)]], 13_000)).toContain("waiting 5 s, ");
    expect(draw([...RUNNING, [6000, waiting(false)]], 6000)).toContain("waiting 12 s, 429 Too many");
    expect(draw([...RUNNING, [6000, waiting(true)]], 19_000)).not.toContain("waiting");
  });

  it("shows the share of a survey, and only rows where the size is unknown", () => {
    const pass = { event: "surveying", file: "a.csv", rows: 20_000, isSurvey: true } as const;
    const surveying = (share: number | undefined): RunEvent => ({ ...pass, share });
    expect(draw([[0, surveying(0.5)]], 0, 80)).toBe("surveying a.csv, 50 %, 20,000 rows");
    expect(draw([[0, surveying(undefined)]], 0, 80)).toBe("surveying a.csv, 20,000 rows");
  });
});

describe("progress in a terminal", () => {
  it("writes nothing once a question may be asked", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const out = Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 80,
      cursorTo: () => out.write("moved"),
    });
    const terminal = Object.assign(out, { clearLine: () => true, moveCursor: () => true });
    const progress = await createTerminalProgress(terminal);
    progress.update({ event: "surveying", file: "a.csv", rows: 20_000, isSurvey: true, share: 0.5 });
    vi.advanceTimersByTime(1000);
    expect(String(out.read())).toContain("surveying a.csv, 50 %");
    progress.update(at(0));
    progress.update({ event: "ready" } as RunEvent);
    out.read();
    vi.advanceTimersByTime(1000);
    expect(out.read()).toBeNull();
    progress.stop();
  });
});

describe("progress in a log", () => {
  function openLog() {
    const out = new PassThrough();
    let now = 0;
    let look = (): void => undefined;
    const every = (_: number, called: () => void) => {
      look = called;
      return () => undefined;
    };
    const progress = createPlainProgress(out, { now: () => now, every });
    const pass = (ms: number): void => {
      for (const until = now + ms; now < until;) {
        now += 1000;
        look();
      }
    };
    const written = (): string => String(out.read() ?? "");
    return { progress, pass, lines: () => written().split("\n").slice(0, -1) };
  }

  it("is one line a minute", () => {
    const { progress, pass, lines } = openLog();
    for (let minute = 1; minute <= 3; minute++) {
      progress.update(at(minute * 1000));
      pass(60_000);
    }
    expect(lines()).toHaveLength(3);
  });
});

describe("colour", () => {
  it.each<[string, boolean, Record<string, string>, "auto" | "always" | "never", boolean]>([
    ["a terminal", true, {}, "auto", true],
    ["no terminal", false, {}, "auto", false],
    ["NO_COLOR", true, { NO_COLOR: "1" }, "auto", false],
    ["an empty NO_COLOR", true, { NO_COLOR: "" }, "auto", true],
    ["a dumb terminal", true, { TERM: "dumb" }, "auto", false],
    ["FORCE_COLOR", false, { FORCE_COLOR: "1" }, "auto", true],
    ["FORCE_COLOR beside NO_COLOR", false, { FORCE_COLOR: "1", NO_COLOR: "1" }, "auto", true],
    ["FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, "auto", false],
    ["the colour always", false, { NO_COLOR: "1" }, "always", true],
    ["the colour never", true, { FORCE_COLOR: "1" }, "never", false],
  ])("with %s is as asked", (_, isTTY, env, color, expected) => {
    expect(isColoured({ isTTY }, env, color)).toBe(expected);
  });
});
