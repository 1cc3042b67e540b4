import type { DoubtFile } from "../model/event.ts";
import type { DoubtfulRun } from "../model/run-end.ts";
import { doubtSteps } from "../model/run-steps.ts";
import { showText } from "../model/visible-text.ts";

/** The steps for the records that a push has in doubt, run by run. */
export function ownDoubtSteps(
  doubts: readonly DoubtfulRun[],
  doubtFiles: readonly DoubtFile[],
): readonly string[] {
  return doubts.flatMap((about) => {
    const { run, calledBy: called = run, file: input, isRefused = false } = about;
    const file = doubtFiles.find((one) => one.run === run);
    const whose = doubts.length === 1 ? {} : { they: `those of ${showText(input, 400)}` };
    return doubtSteps({ ...about, ...whose, called, file, isRefused, inputNow: about.inputNow });
  });
}
