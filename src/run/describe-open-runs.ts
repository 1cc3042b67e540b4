import { findDoubtFile } from "../finish/doubt-files.ts";
import { findGoesFirst } from "../journal/goes-first.ts";
import { lookAtInput } from "../finish/input-now.ts";
import { loadRun } from "../journal/run-store.ts";
import { isOpen } from "../journal/find-runs.ts";
import { summariseRun } from "../journal/summarise-run.ts";
import { describeCounts } from "../model/outcome-words.ts";
import { showCount } from "../model/quantities.ts";
import { stepsOfRun, stepsToSend } from "../model/run-steps.ts";
import { showText } from "../model/visible-text.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/**
 * The runs among these that are still open, each with its numbers and the steps that settle it; without
 * `withDoubt`, the steps about records in doubt are left out.
 */
export async function describeOpenRuns(
  state: StateDirectory,
  runs: readonly string[],
  withDoubt: boolean,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const run of runs) {
    const stored = await loadRun(state, run);
    if (stored === undefined || !isOpen(stored)) continue;
    const doubtFile = await findDoubtFile(stored.directory, stored.account);
    const summary = {
      ...summariseRun(stored),
      doubtFile,
      inputNow: await lookAtInput(stored),
      after: (await findGoesFirst(state, stored))?.run,
    };
    const { file, read, counts, state: runState } = summary;
    const toSend = runState === "unfinished" ? stepsToSend(summary) : [];
    const steps = withDoubt ? stepsOfRun(summary) : toSend;
    const settle = steps.length === 0 ? "" : "; settle it first, then run the same command again:";
    lines.push(
      `the run ${run} of ${showText(file)} is still open (${showCount(read, "row")}: ${describeCounts(counts)})${settle}`,
      ...steps.map((step) => `  ${step}`),
    );
  }
  return lines;
}
