import { join } from "node:path";
import type { DoubtfulRun } from "../model/run-end.ts";
import { replaceFile } from "../state/atomic-file.ts";
import { readOwnFile } from "../state/own-file.ts";
import { nameDoubt } from "./name-doubt.ts";
import type { RunAccount } from "./run-account.ts";

/** In a run's directory: the name of what it had in doubt when a command last told its user how it ended. */
const NAME = "told-doubt";

/** Notes what a command has told of records in doubt, once it has; to be called with the table's lock held, or after it. */
export async function noteToldDoubts(runs: string, doubts: readonly DoubtfulRun[]): Promise<void> {
  for (const { run, doubt } of doubts) {
    // All is said; without the note a second decision is told of once more.
    if (doubt !== undefined) await replaceFile(join(runs, run, NAME), doubt).catch(() => undefined);
  }
}

/**
 * False if records came into doubt after an earlier decision, and no command has come to its end since to tell so: who
 * types the line of that decision once more does not know of them.
 */
export async function isDoubtTold(directory: string, account: RunAccount): Promise<boolean> {
  if (account.decisions === 0) return true;
  const told = await readOwnFile(join(directory, NAME)).catch(() => undefined);
  return told === nameDoubt(account);
}
