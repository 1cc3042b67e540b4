import { access } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { noteRun } from "../ledger/note-run.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { isOpen } from "./find-runs.ts";
import { CLOSED, closeRun, listOpenRuns, loadRun, type StoredRun } from "./run-store.ts";

/**
 * Closes the runs of a table that have nothing left to do, and whose command ended between their last word and its own.
 * To be called with the table's lock held.
 */
export async function closeFinished(state: StateDirectory, url: string): Promise<void> {
  for (const run of await listOpenRuns(state, url)) {
    const stored = await loadRun(state, run).catch((error: unknown) => {
      // Who needs its journal says so.
      if (error instanceof RecPushError) return undefined;
      throw error;
    });
    if (stored?.facts.identity.url === url && !isOpen(stored)) await closeNoted(state, stored);
  }
}

/** Closes runs of which a command has told its user that they are done. */
export async function closeDone(state: StateDirectory, runs: readonly string[], url: string): Promise<void> {
  for (const run of runs) {
    await closeRun(state, run, url).catch((error: unknown) => {
      // All is said; the next push closes it.
      if (!(error instanceof RecPushError)) throw error;
    });
  }
}

/** Closes a run that has nothing left to do; the ledger knows of its creates before its journal may go. */
export async function closeNoted(
  state: StateDirectory,
  { run, directory, facts, account }: Omit<StoredRun, "journalEnd">,
): Promise<void> {
  const isClosed = await access(join(directory, CLOSED)).then(
    () => true,
    () => false,
  );
  // What the user took out of the ledger since stays out.
  if (!isClosed) await noteRun(state, facts, account, join(directory, "journal"), true);
  await closeRun(state, run, facts.identity.url);
}
