import { join } from "node:path";
import { readJournal } from "./read-journal.ts";
import { RunAccount } from "./run-account.ts";
import { noteCreated } from "../ledger/created-index.ts";
import { makeMarks, readMarks, type MarkedRun } from "../state/open-marks.ts";
import { findUnclosed, listRuns } from "./run-store.ts";
import { openStateDirectory, type StateDirectory } from "../state/state-directory.ts";

/** Opens the state directory; one of an earlier version first gets its indexes, once. Throws a machine error. */
export async function openState(root: string): Promise<StateDirectory> {
  const state = await openStateDirectory(root);
  if ((await readMarks(state)) === undefined) await indexRuns(state);
  return state;
}

async function indexRuns(state: StateDirectory): Promise<void> {
  const unclosed = new Set(await findUnclosed(state));
  const marked: MarkedRun[] = [];
  for (const run of await listRuns(state)) {
    const account = new RunAccount();
    // Of a damaged journal the readable beginning is used; commands that load the run report the damage.
    await readJournal(join(state.runs, run, "journal"), (entry, line) => account.take(entry, line)).catch(
      () => undefined,
    );
    const { facts } = account;
    if (facts === undefined) continue;
    if (unclosed.has(run)) marked.push({ run, url: facts.identity.url });
    await noteCreated(state, facts, account);
  }
  await makeMarks(state, marked);
}
