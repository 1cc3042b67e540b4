import { join } from "node:path";
import type { DoubtfulRun } from "../model/run-end.ts";
import { replaceFile } from "../state/atomic-file.ts";
import { readOwnFile } from "../state/own-file.ts";
import { nameDoubt } from "./name-doubt.ts";
import type { RunAccount } from "./run-account.ts";

/** The file in a run's directory that names the doubt that a command last reported to its end. */
const NAME = "told-doubt";

/** Notes the doubt that a command has reported; to be called after that, with the table's lock held or released. */
export async function noteToldDoubts(runs: string, doubts: readonly DoubtfulRun[]): Promise<void> {
  for (const { run, doubt } of doubts) {
    // It was reported; without the note, the next decision is only refused once and the doubt reported again.
    if (doubt !== undefined) await replaceFile(join(runs, run, NAME), doubt).catch(() => undefined);
  }
}

/**
 * False if records came into doubt after an earlier decision and no command has reported that to its end: a user who types
 * the line of that decision again does not know of them.
 */
export async function isDoubtTold(directory: string, account: RunAccount): Promise<boolean> {
  if (account.decisions === 0) return true;
  const told = await readOwnFile(join(directory, NAME)).catch(() => undefined);
  return told === nameDoubt(account);
}
