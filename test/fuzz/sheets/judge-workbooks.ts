import fc from "fast-check";
import { sheetCases } from "./sheet-case.ts";
import { hasPython, WorkbookJudge } from "./judge-workbook.ts";

/** The number of workbooks to damage, the first seed, and where they are written. */
interface WorkbookOrder {
  readonly seed: number;
  readonly files: number;
  readonly directory: string;
}

/** Damages workbooks and compares what is read with what Python finds in the file; false after a failure. */
export async function judgeWorkbooks(
  { seed, files, directory }: WorkbookOrder,
  say: (line: string) => void,
): Promise<boolean> {
  if (files === 0) return true;
  if (!hasPython()) {
    say("no workbooks are judged: there is no python3");
    return true;
  }
  const judge = new WorkbookJudge(directory);
  const verdicts = { read: 0, refused: 0, tolerated: 0 };
  const result = await fc.check(
    fc.asyncProperty(sheetCases(), async (given) => {
      verdicts[await judge.judgeCase(given)]++;
    }),
    { seed, numRuns: files },
  );
  judge.close();
  if (!result.failed) {
    say(
      `${files} spoilt workbooks, no failure: ${verdicts.read} read, ${verdicts.refused} refused, ${verdicts.tolerated} spoilt where no cell is`,
    );
    return true;
  }
  say(`1 failure among spoilt workbooks with seed ${seed}: ${String(result.errorInstance)}`);
  say(JSON.stringify(result.counterexample?.[0], undefined, 2));
  return false;
}
