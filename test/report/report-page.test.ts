import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchEvent, RunEvent, Summary } from "../../src/model/event.ts";
import { parted } from "../support/parted.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { beginsReport, createReportFile, REPORT_HEAD_BYTES } from "../../src/report/report-file.ts";

const NOTHING = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };

function summaryWith(text: string, more: Partial<Summary> = {}): Summary {
  return {
    event: "summary",
    run: text,
    runs: [text],
    openRuns: [text],
    read: 3,
    ...NOTHING,
    accepted: 1,
    rejected: 2,
    inDoubtAt: [{ run: text, file: text, kind: "create", first: 2, last: 3, rows: 2 }],
    batches: 1,
    ms: 1200,
    exitCode: 4,
    reason: text,
    next: [text],
    safeToRerun: false,
    unpinned: [],
    rejectsFiles: [{ file: text, path: text, rows: 2, later: 0 }],
    doubtFiles: [],
    ...more,
  };
}

/** Every event that holds text of a file or of the service, with this text in each of those places. */
function eventsWith(text: string): RunEvent[] {
  const told = { headerless: false, fingerprint: "", notices: [], pins: [] };
  const reading = { file: text, format: "csv", encoding: text, columns: [text], ...told } as const;
  const counts = { rows: 3, updates: 1, creates: 0, skipped: 0, superseded: 0, invalid: 2 };
  const repeats = { repeatedKeys: 0, repeatedKeysBounded: false };
  const named = { header: text, field: `f${text}` };
  const column = { column: 1, ...named, type: "text", isOther: false } as const;
  const settled = { format: text, settledBy: text, samples: [{ before: text, after: `${text}!` }] };
  return [
    { event: "run", run: text, table: text, url: text, files: [text], configs: [] },
    {
      event: "survey",
      survey: {
        reading,
        counts: { ...counts, ...repeats },
        problems: [],
        groups: [],
        columns: [{ ...column, ...settled }],
        notices: [{ text }],
        pins: [{ what: "type", option: text, because: text }],
      },
    },
    { event: "notice", text },
    settledEvent({ outcome: "refused", msg: text }),
    { event: "reject", file: text, line: 2, column: 1, ...named, value: text, reason: text, hint: text },
    summaryWith(text),
  ];
}

function settledEvent(more: Partial<BatchEvent>): RunEvent {
  const place = { file: "a.csv", line: 2 };
  const batch = { batch: 1, kind: "update", rows: 0, first: place, last: place } as const;
  const answer = { outcome: "accepted", status: 200, msg: "", attempts: 1, ms: 20 } as const;
  return { event: "batch", ...batch, ...answer, ...more };
}

const AT = new Date("2026-11-22T03:00:00Z");
const COMMAND = { isCheck: false, version: "1.0.0", now: () => AT };

/** The last text of a report of these events. */
function reportOf(format: "html" | "json", events: readonly RunEvent[], failure?: RecPushError): string {
  let text = "";
  const replace = (written: string): void => void (text = written);
  const reporter = createReportFile({ format, replace, onLost: () => expect.unreachable() }, COMMAND);
  if (failure !== undefined) reporter.fail(failure);
  for (const event of events) reporter.emit(event);
  reporter.close();
  return text;
}

function pageOf(text: string): string {
  return reportOf("html", eventsWith(text), new RecPushError("invalid-rows", text, { hint: text }));
}

/** The tags of a page with their attributes. */
function tagsOf(page: string): readonly string[] {
  return page.replace(/<style>[^]*?<\/style>/, "").match(/<[^>]*>/g) ?? [];
}

/** Text that a cell, a header or an answer may hold; one line, because each line becomes an element. */
const HOSTILE = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1 }),
    fc.string({ unit: fc.constantFrom(..."<>\"'&`/=a !-".split("")), minLength: 1 }),
    fc.constantFrom(
      ...parted`<script>alert(1)</script>|"><img src=x onerror=alert(1)>|</title></style><!--|&lt;b&gt;`,
      "\u202egnp.exe",
      "\u001b[2J\u0000",
      "\ud800",
    ),
  )
  .map((text) => text.replaceAll("\n", " "));

describe("a report's page", () => {
  const plainTags = tagsOf(pageOf("plain"));

  it("says what a screen shows", () => {
    const page = reportOf("html", eventsWith("x"));
    const lines = [...page.matchAll(/<div><bdi>(.*?)<\/bdi><\/div>/g)].map(([, line]) => line);
    expect(lines).toContain("x:2: column 1 &quot;x&quot; (fx) holds &quot;x&quot;: x (x)");
    expect(lines).toContain("Next: x");
  });

  it("has at most 2000 lines, and counts the others", () => {
    const notices = Array.from({ length: 2500 }, (_, at): RunEvent => ({ event: "notice", text: `${at}` }));
    const page = reportOf("html", [...notices, summaryWith("x")]);
    expect(page.match(/<div><bdi>/g)).toHaveLength(2000);
    expect(page).toMatch(/<p>and 50\d more lines<\/p>/);
  });

  it("has the same elements whatever the texts are, and no character that hides or turns others", () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const page = pageOf(text);
        expect(tagsOf(page)).toEqual(plainTags);
        expect(page.replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it("needs no script, no other file and no network", () => {
    const page = pageOf("plain");
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|https?:/i);
    expect(page).toContain("default-src 'none'");
  });

  it("follows the reader's colours, and suits paper", () => {
    expect(pageOf("plain")).toContain("@media (prefers-color-scheme: dark)");
    expect(pageOf("plain")).toContain("@media print");
  });
});

describe("a report", () => {
  it("says the same as data, under names that stay", () => {
    const failure = new RecPushError("invalid-rows", "why");
    const report = JSON.parse(reportOf("json", eventsWith("x"), failure)) as object;
    expect(report).toMatchObject({
      report: "rec-push",
      schema: 1,
      state: "ended",
      startedAt: "2026-11-22T03:00:00.000Z",
      table: "x",
      summary: { read: 3, accepted: 1, rejected: 2, exitCode: 4, next: ["x"] },
      errors: [{ event: "error", code: "invalid-rows", message: "why" }],
      files: [{ event: "survey", file: "x", rows: 3, columns: [{ field: "fx" }] }],
    });
  });

  it("is known by its first bytes, in both forms, and nothing else is", () => {
    for (const format of ["html", "json"] as const) {
      const text = reportOf(format, eventsWith("x"));
      expect(beginsReport(Buffer.from(text).subarray(0, REPORT_HEAD_BYTES))).toBe(true);
    }
    for (const other of ["", "cle,date\n", "<!doctype html>\n<html>", '{"report":1}'])
      expect(beginsReport(Buffer.from(other))).toBe(false);
  });

  it("keeps no whole cell of a long row", () => {
    const text = "x".repeat(1_000_000);
    expect(reportOf("json", [eventsWith(text)[1]!]).length).toBeLessThan(3000);
  });
});

describe("the file of a report", () => {
  it("says from the beginning that the command has not ended, and at its end how it did", () => {
    const texts: string[] = [];
    const place = { format: "html", replace: (text: string) => void texts.push(text) } as const;
    const reporter = createReportFile({ ...place, onLost: () => expect.unreachable() }, COMMAND);
    expect(texts).toEqual([expect.stringContaining("had not ended at 2026-11-22")]);
    for (const event of eventsWith("x")) reporter.emit(event);
    reporter.close();
    reporter.close();
    expect(texts).toHaveLength(2);
    expect(texts[1]).toContain("Exit 4, after 1.2 s.");
  });

  it("that can no longer be written is reported once, and stops nothing", () => {
    let isFull = false;
    const lost: unknown[] = [];
    const replace = (): void => {
      if (isFull) throw new Error("ENOSPC");
    };
    const onLost = (error: unknown): void => void lost.push(error);
    const reporter = createReportFile({ format: "json", replace, onLost }, COMMAND);
    isFull = true;
    for (const event of eventsWith("x")) reporter.emit(event);
    reporter.close();
    reporter.emit({ event: "notice", text: "later" });
    reporter.close();
    expect(lost).toHaveLength(1);
  });
});
