import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeDirectory, makeFile } from "../../support/temp-files.ts";
import { textRow, workbookOf } from "../../support/workbook.ts";
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
    for (const is1904 of [false, true]) {
      const plain = { isLarge: false, isStreamed: false, edits: [], bytes: [], hasHeader: false };
      expect(await judge.judgeCase({ base, is1904, ...plain })).toBe("read");
    }
  });
});

describe.skipIf(!hasPython())("the judge of workbooks", () => {
  const rows = `${textRow(1, ["a", "b"])}<row r="2"><c r="A2"><v>0.10</v></c><c r="B2" s="1"><v>45377</v></c></row>`;
  const whole = [
    [1, ["t", "a"], ["t", "b"]],
    [2, ["n", "0.10"], ["t", "2024-03-26"]],
  ];

  it.each([
    ["nothing", whole, /^$/],
    ["another text", [[1, ["t", "a"], ["t", "c"]], whole[1]!], /row 1, column 2/],
    ["another number", [whole[0]!, [2, ["n", "0.1"], whole[1]![2]!]], /row 2, column 1/],
    ["another date", [whole[0]!, [2, whole[1]![1]!, ["t", "2024-03-27"]]], /row 2, column 2/],
    ["a number in place of a date", [whole[0]!, [2, whole[1]![1]!, ["n", "45377"]]], /row 2, column 2/],
    ["a cell that is left out", [whole[0]!, [2, whole[1]![1]!, null]], /row 2, column 2/],
    ["a row that is left out", [whole[0]!], /row 2 is missing/],
  ])("sees %s", async (_, read, fault) => {
    const judge = await openJudge();
    const path = await makeFile("orders.xlsx", workbookOf({ sheets: [{ rows }], formats: [14] }));
    const answer = await judge.compare(path, { sheet: "Orders", rows: read, others: [], from: 1 });
    expect([answer.isReadable, answer.fault ?? ""]).toEqual([true, expect.stringMatching(fault)]);
  });
});
