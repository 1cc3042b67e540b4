import { nameLines, spellDoubtedRow } from "../model/doubted-row.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Verdict } from "./verdict-log.ts";
import { writeRejects, type RowsTarget } from "./write-rejects.ts";

/** The doubt of a run for which a file is written. */
export interface RunDoubt {
  readonly run: string;
  /** Its short name. */
  readonly doubt: string;
}

/** Writes the rows of one input that are in doubt to a path, in the format of rejects; returns how many there are. */
export async function writeDoubt(
  input: SurveyedInput,
  verdicts: AsyncIterable<readonly Verdict[]>,
  { run, doubt }: RunDoubt,
  path: string,
  target: Pick<RowsTarget, "place" | "abort">,
): Promise<number> {
  const nameLine = nameLines();
  const written = await writeRejects(input, verdicts, {
    ...target,
    kind: "inDoubt",
    cellsOf: ({ line, field, reason }) => [
      spellDoubtedRow({ line: nameLine(line), run, doubt }),
      field,
      reason,
    ],
    draft: path,
  });
  return written?.rows ?? 0;
}
