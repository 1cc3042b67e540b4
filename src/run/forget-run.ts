import { forgetCreated } from "../ledger/created-index.ts";
import { changeFiles, findInLedgers } from "../ledger/ledger-directory.ts";
import { LedgerFile } from "../ledger/ledger-file.ts";
import { forgetFile } from "../ledger/remove-creates.ts";
import { RecPushError } from "../model/failure.ts";
import { findPushed } from "../journal/content-index.ts";
import { findLoss, findTableOf, settleLostRun } from "../journal/lost-run.ts";
import { listOpenRuns } from "../journal/run-store.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { dirname } from "node:path";
import { lockedElsewhere, takeTableLock } from "../state/table-lock.ts";
import { rememberPresent } from "../ledger/known-words.ts";
import { withLock } from "./abandon-run.ts";

/**
 * Takes the creates of a closed run out of the ledger; returns how many there were, if that is known. Of a run whose journal
 * is lost or damaged the user says with it that the service holds none of its creates. Throws a usage error if the ledger
 * does not know the run, or if it is open.
 */
export async function forgetRun(state: StateDirectory, run: string): Promise<number | undefined> {
  const isOpen = (await listOpenRuns(state)).includes(run);
  const isBegun = isOpen || (await findPushed(state.contents, run)) !== undefined;
  const isLost = isBegun && (await findLoss(state, run)) !== undefined;
  if (isLost) await forgetLost(state, run);
  else if (isOpen)
    throw new RecPushError("usage", "open-run", `the run ${run} is open: what it created may still change`, {
      hint: `finish it first: rec-push resume ${run}\nor give it up: rec-push runs --abandon ${run}`,
    });
  const paths = await findInLedgers(state, run);
  const [path] = paths;
  if (path !== undefined) {
    const file = await LedgerFile.open(path).catch((error: unknown) => {
      if (error instanceof RecPushError && error.code === "ledger-damaged") return undefined;
      throw error;
    });
    if (file === undefined) {
      await changeFiles(dirname(path), { change: "", replaced: [], struck: [run] });
      await forgetCreated(state, run);
      return undefined;
    }
    const { table, target } = { table: run, target: file.facts.target };
    return withLock(state, table, target.url, () => forgetFile(state, file));
  }
  const forgotten = await forgetCreated(state, run);
  if (forgotten !== undefined) {
    await rememberForgotten(state, run, forgotten.table);
    return forgotten.creates;
  }
  if (isLost) return undefined;
  throw new RecPushError("usage", "no-run", `the ledger knows of no create of the run ${run}`, {
    hint: "rec-push runs lists the runs that are kept",
  });
}

async function forgetLost(state: StateDirectory, run: string): Promise<void> {
  const table = await findTableOf(state, run);
  // A run that no part of the state has as open is pushed by nobody.
  if (table === undefined) return settleLostRun(state, run);
  const lock = await takeTableLock(state.locks, run, table);
  if (!("release" in lock)) throw lockedElsewhere("its table", lock);
  try {
    await settleLostRun(state, run);
  } finally {
    await lock.release();
  }
}

/** The user's word counts: missing notes in the ledgers of a table are no longer reported. */
async function rememberForgotten(state: StateDirectory, run: string, table: string): Promise<void> {
  const lock = await takeTableLock(state.locks, run, table);
  if (!("release" in lock)) throw lockedElsewhere(`the table ${run}`, lock);
  try {
    await rememberPresent(state, lock.known);
  } finally {
    await lock.release();
  }
}
