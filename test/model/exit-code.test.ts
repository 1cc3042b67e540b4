import { describe, expect, it } from "vitest";
import { type Counts, showCount, showInteger, showLines } from "../../src/model/counts.ts";
import { showDuration } from "../../src/report/terminal-lines.ts";
import { type Ending, exitCode } from "../../src/model/exit-code.ts";
import { type FailureCode, KINDS } from "../../src/model/failure-codes.ts";
import { type FailureKind, RecPushError } from "../../src/model/failure.ts";

const NONE: Counts = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };
const failure = (kind: FailureKind): RecPushError => {
  const code = (Object.keys(KINDS) as FailureCode[]).find((one) => KINDS[one] === kind)!;
  return new RecPushError(code, "message");
};

describe("exitCode", () => {
  it.each<
    [string, Partial<Counts>, FailureKind | undefined, "SIGINT" | "SIGTERM" | "SIGHUP" | undefined, number]
  >([
    ["everything accepted", { accepted: 3 }, undefined, undefined, 0],
    ["nothing to do", {}, undefined, undefined, 0],
    ["rows skipped", { skipped: 3 }, undefined, undefined, 0],
    ["a fault of the machine", {}, "machine", undefined, 1],
    ["wrong usage", {}, "usage", undefined, 2],
    ["invalid input", { notSent: 2, rejected: 1 }, "input", undefined, 3],
    ["input that fails after something was sent", { accepted: 1 }, "input", undefined, 4],
    ["rejected rows beside accepted ones", { accepted: 1, rejected: 1 }, undefined, undefined, 4],
    ["refused rows", { refused: 1 }, undefined, undefined, 4],
    ["a service that refuses every record", { refused: 20 }, "refused", undefined, 4],
    ["credentials", { refused: 1 }, "credentials", undefined, 5],
    ["the request itself", { rejected: 1 }, "request", undefined, 6],
    ["an unreachable service", { failed: 1, refused: 1 }, "unreachable", undefined, 7],
    ["failed rows without a stop", { accepted: 9, failed: 1 }, undefined, undefined, 7],
    ["a table that another run holds", { notSent: 2 }, "locked", undefined, 9],
    ["doubt before all else", { inDoubt: 1, refused: 1 }, "credentials", "SIGINT", 8],
    ["SIGHUP", { notSent: 1 }, "interrupted", "SIGHUP", 129],
    ["SIGINT before other reasons", { failed: 1 }, "unreachable", "SIGINT", 130],
    ["SIGTERM", { accepted: 1, notSent: 1 }, undefined, "SIGTERM", 143],
    ["a signal among failed rows", { accepted: 1, failed: 1 }, undefined, "SIGTERM", 143],
    ["a signal after everything was accepted", { accepted: 3, skipped: 1 }, undefined, "SIGTERM", 0],
    ["a signal after everything was sent", { accepted: 3, refused: 1 }, undefined, "SIGHUP", 4],
  ])("gives %s its code", (_, counts, kind, signal, expected) => {
    const ending = { counts: { ...NONE, ...counts }, failure: kind && failure(kind), signal };
    expect(exitCode(ending)).toBe(expected);
  });

  const earlier = { run: "r", hasRejects: false, inDoubt: 0 };
  it.each<[string, Partial<Ending>, number]>([
    ["creates that an earlier run left in doubt", { earlier: [{ ...earlier, inDoubt: 1 }] }, 8],
    ["rows that an earlier run left to be mended", { earlier: [{ ...earlier, hasRejects: true }] }, 4],
    ["an earlier run that left nothing", { earlier: [earlier] }, 0],
    ["a record that was created with other values", { newlyChanged: 1 }, 4],
    ["a run that was refused, with the counts of before", { hasBegun: false, failure: failure("usage") }, 2],
  ])("gives %s its code", (_, more, expected) => {
    const counts = { ...NONE, accepted: 3, inDoubt: more.hasBegun === false ? 1 : 0 };
    expect(exitCode({ counts, failure: undefined, signal: undefined, ...more })).toBe(expected);
  });
});

describe("quantities", () => {
  it.each([
    [0, "0 rows"],
    [1, "1 row"],
    [1203, "1,203 rows"],
  ])("counts %i", (value, expected) => expect(showCount(value, "row")).toBe(expected));

  it.each([
    ["batch", "2 batches"],
    ["process", "2 processes"],
    ["retry", "2 retries"],
    ["day", "2 days"],
  ])("makes the plural of %s", (unit, expected) => expect(showCount(2, unit)).toBe(expected));

  it("groups digits", () => expect(showInteger(1_000_000)).toBe("1,000,000"));

  it.each([
    [840, "0.8 s"],
    [59_900, "59.9 s"],
    [185_000, "3 min 05 s"],
    [7_620_000, "2 h 07 min"],
  ])("shows %i ms", (ms, expected) => expect(showDuration(ms)).toBe(expected));

  it.each([
    [7, 7, "line 7"],
    [2, 501, "lines 2-501"],
  ])("shows lines %i to %i", (first, last, expected) => expect(showLines(first, last)).toBe(expected));
});
