import { dirname } from "node:path";
import { notePlace } from "../files/kept-place.ts";
import { holdsUnmended } from "../files/rows-to-mend.ts";
import { changeFiles, findInLedgers, rememberPresent } from "../ledger/ledger-target.ts";
import { LedgerFile } from "../ledger/ledger-file.ts";
import { forgetCreated } from "../ledger/note-run.ts";
import { forgetFile } from "../ledger/remove-creates.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/refer-to-sheets.ts";
import { findLoss, findRun, findTableOf, isOpen, settleLostRun } from "../store/close-finished.ts";
import { findPushed, type RunFacts } from "../store/run-facts.ts";
import { OpenRun } from "../store/open-run.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { countToMend, listOpenRuns, type StoredRun } from "../store/summarise-run.ts";
import { lockedElsewhere, type TableLock, takeTableLock } from "../store/table-lock.ts";

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
      hint: `finish it first: rec-push resume ${run}\nor give it up: rec-push runs abandon ${run}`,
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

/** A run that the user has given up. */
export interface AbandonedRun {
  readonly run: string;
  /** True if the service may hold a create of it. */
  readonly hasCreates: boolean;
  /** The rows to be mended that were given up of a run that had nothing else left. */
  readonly rows?: number;
}

/**
 * Gives a run up while nobody pushes to its table: what it has not sent, or only the rows that are still to be mended.
 * Throws a usage error if nothing of it is left, and a machine error if its journal is lost or damaged: then it is not known
 * what it created.
 */
export async function abandonRun(state: StateDirectory, name: string): Promise<AbandonedRun> {
  const found = await findRun(state, name);
  refuseShard(found.facts);
  const { table, identity } = found.facts;
  return withLock(state, table, identity.url, async (lock) => {
    const stored = await findRun(state, found.run);
    if (!isOpen(stored)) return giveUpRows(state, stored);
    const run = await OpenRun.resume({ state, lock }, stored);
    try {
      await run.abandon();
    } finally {
      await run.close();
    }
    return { run: stored.run, hasCreates: run.account.hasCreates };
  });
}

async function giveUpRows(state: StateDirectory, stored: StoredRun): Promise<AbandonedRun> {
  if (!(await holdsUnmended(state, stored))) throw notOpen(stored.run);
  await notePlace(stored.directory, { rowsSettled: true });
  return { run: stored.run, hasCreates: stored.account.hasCreates, rows: countToMend(stored) };
}

/** Runs `work` with the lock of a table held. Throws if another process has it. */
export async function withLock<Result>(
  state: StateDirectory,
  table: string,
  url: string,
  work: (lock: TableLock) => Promise<Result>,
): Promise<Result> {
  const lock = await takeTableLock(state.locks, url);
  if (!("release" in lock)) throw lockedElsewhere(`the table ${table}`, lock);
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
}

function notOpen(run: string): RecPushError {
  return new RecPushError("usage", "not-open", `the run ${run} is not open: nothing is left to give up`);
}

/** Throws a usage error for the run of a shard: alone it would not know which rows are its own. */
export function refuseShard({ run, shard }: Pick<RunFacts, "run" | "shard">): void {
  if (shard === undefined) return;
  const word = quoteWord(shard.directory);
  throw new RecPushError(
    "usage",
    "not-planned",
    `the run ${run} is that of the shard ${shard.shard}/${shard.of} of the plan ${shard.plan}: it is continued with its plan`,
    {
      hint: `rec-push push --plan ${word} --shard ${shard.shard}/${shard.of}\nrec-push runs --plan ${word} says what is left of the plan`,
    },
  );
}
