import { access } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { noteRun } from "../ledger/note-run.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { isOpen } from "./find-runs.ts";
import { CLOSED, closeRun, listOpenRuns, loadRun, type StoredRun } from "./run-store.ts";

/**
 * Closes the runs of a table that have nothing left to do, but whose command ended after the journal's last entry and
 * before closing them. The caller must hold the table's lock.
 */
export async function closeFinished(state: StateDirectory, url: string): Promise<void> {
  for (const run of await listOpenRuns(state, url)) {
    const stored = await loadRun(state, run).catch((error: unknown) => {
      // A damaged journal is reported to the command that needs it.
      if (error instanceof RecPushError) return undefined;
      throw error;
    });
    if (stored?.facts.identity.url === url && !isOpen(stored)) await closeNoted(state, stored);
  }
}

/** Closes runs whose command has told the user that they are done. */
export async function closeDone(state: StateDirectory, runs: readonly string[], url: string): Promise<void> {
  for (const run of runs) {
    await closeRun(state, run, url).catch((error: unknown) => {
      // The user has been told everything; the next push closes the run.
      if (!(error instanceof RecPushError)) throw error;
    });
  }
}

/** Closes a run that has nothing left to do, once the ledger knows its creates: then its journal may be removed. */
export async function closeNoted(
  state: StateDirectory,
  { run, directory, facts, account }: Omit<StoredRun, "journalEnd">,
): Promise<void> {
  const isClosed = await access(join(directory, CLOSED)).then(
    () => true,
    () => false,
  );
  // What the user has since taken out of the ledger stays out.
  if (!isClosed) await noteRun(state, facts, account, join(directory, "journal"), true);
  await closeRun(state, run, facts.identity.url);
}
