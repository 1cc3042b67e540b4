import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchEvent, RunEvent, Summary } from "../../src/model/event.ts";
import {
  openPaint,
  type Progress,
  SILENT_PROGRESS,
  textWidth,
  wrapLine,
} from "../../src/report/terminal-lines.ts";
import { createTextReporter } from "../../src/report/text-reporter.ts";

const NONE = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };
const SUMMARY: Summary = {
  event: "summary",
  run: "r",
  runs: ["r"],
  openRuns: [],
  read: 10,
  ...NONE,
  accepted: 10,
  inDoubtAt: [],
  batches: 2,
  ms: 1000,
  exitCode: 0,
  reason: "",
  next: [],
  safeToRerun: true,
  unpinned: [],
  rejectsFiles: [],
  doubtFiles: [],
};

/** A batch of ten rows. */
function batch(number: number, more: Partial<BatchEvent> = {}): RunEvent {
  const line = number * 10 + 2;
  return {
    event: "batch",
    batch: number,
    kind: "update",
    rows: 10,
    first: { file: "a.csv", line },
    last: { file: "a.csv", line: line + 9 },
    outcome: "accepted",
    status: 200,
    msg: "OK",
    attempts: 1,
    ms: 1,
    ...more,
  };
}

const failed = { outcome: "failed", status: 500, msg: "Oops." } as const;

async function show(
  events: readonly RunEvent[],
  amount: "quiet" | "normal" | "verbose" = "normal",
  grown?: string[][],
) {
  const results = Object.assign(new PassThrough(), { isTTY: grown !== undefined });
  const remarks = new PassThrough();
  const paint = await openPaint({}, {});
  const grow = (lines: readonly string[]) => void grown?.push([...lines]);
  const progress: Progress = grown === undefined ? SILENT_PROGRESS : { ...SILENT_PROGRESS, grow };
  const paints = { results: paint, remarks: paint };
  const reporter = createTextReporter({ results, remarks, progress, paint: paints, amount, isCheck: false });
  for (const event of events) reporter.emit(event);
  reporter.close();
  const textOf = (stream: PassThrough): string => String(stream.read() ?? "");
  const text = (stream: PassThrough) => textOf(stream).split("\n").slice(0, -1);
  return { results: text(results), remarks: text(remarks) };
}

/** So many batches have a line each. */
const SINGLES = Array.from({ length: 20 }, (_, at) => batch(at + 100));

describe("the lines of batches", () => {
  it("are one each and numbered up to twenty, whatever became of them", async () => {
    const { results } = await show([...SINGLES.slice(1), batch(9, failed), batch(10), batch(11)]);
    expect(results.slice(0, 1)).toEqual(["101  update   10 rows  lines 1012-1021      200 OK"]);
    expect(results.slice(19)).toEqual([
      "  9  update   10 rows  lines 92-101         500 Oops. -> failed",
      "update       20 rows  lines 102-121   2 batches  200 OK",
    ]);
  });

  it("then fold into one for each kind and outcome, however they are mixed", async () => {
    const events = Array.from({ length: 60 }, (_, at) => batch(at, at % 3 === 0 ? { kind: "create" } : {}));
    const { results } = await show([...events, SUMMARY]);
    expect(results.slice(20)).toEqual([
      "update      270 rows  lines 202-601   27 batches  200 OK",
      "create      130 rows  lines 212-581   13 batches  200 OK",
      "10 rows read: 10 accepted (2 batches, 1.0 s)",
    ]);
  });

  it("show trouble at once in a log, and all of it at the end", async () => {
    const events = [batch(0), batch(1, failed), batch(2), batch(3, { ...failed, attempts: 5 })];
    const one = await show([...SINGLES, ...events.slice(0, 2)]);
    expect(one.results[20]).toContain("lines 12-21          500 Oops. -> failed");
    expect((await show([...SINGLES, ...events])).results.slice(20)).toEqual([
      "  1  update   10 rows  lines 12-21          500 Oops. -> failed",
      "update       20 rows  lines 2-31      2 batches  200 OK",
      "update       20 rows  lines 12-41     2 batches  500 Oops. (6 attempts) -> failed in all",
    ]);
  });

  it("are as few where each batch has a reason of its own", async () => {
    const events = Array.from({ length: 150 }, (_, at) => batch(at, { ...failed, msg: `Oops ${at}.` }));
    const { results } = await show(events);
    expect(results).toHaveLength(22);
    expect(results.at(-1)).toContain("130 batches  500 Oops 20. -> failed in all");
  });

  it("are one a batch with --verbose, and only trouble with --quiet", async () => {
    const events = [batch(0), batch(1), batch(2, failed), batch(3, failed)];
    expect((await show(events, "verbose")).results).toHaveLength(4);
    const { results } = await show(events, "quiet");
    expect(results.every((line) => line.includes("failed"))).toBe(true);
    expect(results).toHaveLength(2);
  });

  it("grow in place on a terminal, and are printed once", async () => {
    const grown: string[][] = [];
    const { results } = await show([...SINGLES, batch(0), batch(1), batch(2, failed)], "normal", grown);
    expect(grown.slice(0, 3).map((lines) => lines.length)).toEqual([1, 1, 2]);
    expect(grown[1]![0]).toContain("2 batches");
    expect(grown.at(-1)).toEqual([]);
    expect(results).toHaveLength(22);
  });

  it("end with the file that they are of", async () => {
    const other = batch(1, { first: { file: "b.csv", line: 2 } });
    const files = ["a.csv", "b.csv"];
    const run: RunEvent = { event: "run", run: "r", table: "t", url: "", files, configs: [] };
    const { results } = await show([run, batch(0), other]);
    expect(results.map((line) => line.slice(0, 6))).toEqual(files.map((file) => `${file}:`));
  });
});

describe("what needs a person's attention", () => {
  it("names the option that settles many rows once", async () => {
    const why = { reason: "the row looks like a total", hint: "--totals skip leaves such rows out" };
    const reject = (line: number, file = "a.csv"): RunEvent => ({ event: "reject", file, line, ...why });
    const { remarks } = await show([reject(2), reject(3), reject(4, "b.csv")]);
    expect(remarks).toEqual([
      "a.csv: 2 x the row looks like a total, lines 2, 3 (--totals skip leaves such rows out)",
      "b.csv:4: the row looks like a total",
    ]);
  });
});

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

const wrap = (line: string, columns = 40) => wrapLine(line, columns);

describe("a line that is wider than the terminal", () => {
  it("is wrapped between words, with an indent", () => {
    expect(wrap("  note: the service said something that takes more than one line")).toEqual([
      "  note: the service said something that",
      "    takes more than one line",
    ]);
  });

  it("keeps every word whole, and is never wider than the terminal unless a word is", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 20, max: 90 }), (words, columns) => {
        const lines = wrap(words.join(" "), columns);
        expect(lines.join(" ").trim().split(/ +/)).toEqual(words);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it("gives a command a line of its own, which is not broken", () => {
    const command = `rec-push 'a file.csv' --table commandes --quote '"' --type date_billed=date:DD/MM/YYYY`;
    const lines = wrap(`Next: mend the 2 rows in a.csv, then push that file: ${command}`);
    expect(lines.slice(0, 2)).toEqual(["Next: mend the 2 rows in a.csv, then", "  push that file:"]);
    expect(lines.slice(2)).toEqual([`  ${command}`]);
  });

  it("goes on in words after a command", () => {
    const lines = wrap(
      "Next: send the other rows: rec-push resume 2026 --on-invalid skip; it writes the invalid ones",
    );
    expect(lines).toEqual([
      "Next: send the other rows:",
      "  rec-push resume 2026 --on-invalid skip",
      "  it writes the invalid ones",
    ]);
  });
});

describe("the width of a text", () => {
  it.each([
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 1],
    ["日本", 4],
    ["\u001b[31mred\u001b[39m", 3],
  ])("of %j is %i", (text, width) => expect(textWidth(text)).toBe(width));
});
