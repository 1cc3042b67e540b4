import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type Verdict, VerdictLog } from "../../src/files/verdict-log.ts";
import type { RejectedRow } from "../../src/model/rows.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { emptyRecord as record } from "../support/to-record.ts";

const REFUSAL = { batch: 1, outcome: "refused", status: 422, msg: "unknown state", attempts: 1 } as const;

function rejected(line: number, key?: string): RejectedRow {
  const problem = { line, field: "date_billed", reason: "31 February is not a date" };
  return { line, start: 10 * line, end: 10 * line + 10, key, problems: [problem] };
}

async function readAll(log: VerdictLog, input: number): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for await (const block of log.read(input)) verdicts.push(...block);
  return verdicts;
}

describe("the log of verdicts", () => {
  it.each([1_000_000, 35])("gives them back in file order, in blocks of %i bytes", async (blockBytes) => {
    const directory = await makeDirectory();
    const log = new VerdictLog(directory, blockBytes);
    log.addRefused(0, record(9, "B"), REFUSAL);
    log.addRejected(0, rejected(5, "A"));
    log.addRejected(1, rejected(2));
    log.addRejected(0, rejected(2, "B"));
    log.addAccepted(0, [record(7, "A")]);
    log.addAccepted(1, [record(1, "C")]);
    await log.settle();
    expect(await log.isChanged(0)).toBe(true);
    const invalid = { field: "date_billed", reason: "31 February is not a date" };
    const refused = { field: "", reason: "the service refused it (422): unknown state" };
    expect(await readAll(log, 0)).toEqual([
      { line: 2, start: 20, end: 30, ...invalid, later: undefined },
      expect.objectContaining({ line: 5, later: { input: 0, line: 7, isWhole: true } }),
      { line: 9, start: 90, end: 100, ...refused, later: undefined },
    ]);
    expect((await readAll(log, 1)).map(({ line }) => line)).toEqual([2]);
    expect(await log.isChanged(0)).toBe(false);
    log.addAccepted(1, [record(3, "B")]);
    expect(await log.isChanged(0)).toBe(true);
    expect((await readAll(log, 0)).map(({ later }) => later)).toEqual([
      { input: 1, line: 3, isWhole: true },
      { input: 0, line: 7, isWhole: true },
      { input: 1, line: 3, isWhole: true },
    ]);
    await log.remove();
    expect(await readdir(directory)).toEqual([]);
  });

  it("is not changed where an input has none", async () => {
    const log = new VerdictLog(await makeDirectory());
    log.addAccepted(0, [record(2, "A")]);
    expect(await log.isChanged(0)).toBe(false);
  });
});
