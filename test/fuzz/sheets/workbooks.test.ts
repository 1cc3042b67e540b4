import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDirectory } from "../../support/temp-files.ts";
import { hasPython, judgeSpoilt, WorkbookJudge } from "./judge-workbook.ts";
import { draws } from "../../support/draws.ts";

async function openJudge(): Promise<WorkbookJudge> {
  const judge = new WorkbookJudge(await makeDirectory());
  onTestFinished(() => judge.close());
  return judge;
}

describe.skipIf(!hasPython())("spoilt workbooks", () => {
  it("give their own cells, or are refused", async () => {
    const judge = await openJudge();
    const { failed, counterexample, errorInstance } = await fc.check(judgeSpoilt(judge), draws(60));
    expect({ failed, counterexample, errorInstance }).toMatchObject({ failed: false });
  });

  it.each([0, 1, 2])("are read whole where nothing is spoilt: %s", async (base) => {
    const judge = await openJudge();
    for (const is1904 of [false, true])
      expect(await judge.judgeCase({ base, is1904, edits: [], hasHeader: false })).toBe("read");
  });
});
