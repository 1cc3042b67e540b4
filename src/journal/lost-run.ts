import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { findBegunIn } from "../ledger/created-index.ts";
import { cannotUse, type StateDirectory } from "../state/state-directory.ts";
import { syncDirectory } from "../state/sync-directory.ts";
import { findPushed, noteGivenUp, type PushedContent } from "./content-index.ts";
import { waysToSay, waysToSettle } from "./journal-fault.ts";
import { forgetOpen, INPUT_COPY, isStillborn, listOpenRuns, listRuns, loadRun } from "./run-store.ts";

/**
 * The error for a run that is known to have begun and whose journal is gone, so that it is not known what it sent.
 */
export function lostRun(state: StateDirectory, run: string, pushed?: PushedContent): RecPushError {
  const what =
    pushed === undefined
      ? ""
      : `, which pushed ${pushed.file} on ${pushed.startedAt.slice(0, 16).replace("T", " ")} UTC,`;
  return new RecPushError(
    "machine",
    "run-lost",
    `the journal of the run ${run}${what} is lost from ${pushed?.plan ?? join(state.runs, run)}: it is not known which records without key it created in this table, and none is created there until that is said`,
    // A plan that was given up is not gone on with.
    { hint: pushed?.plan === undefined ? waysToSettle("that directory", run) : waysToSay([run]) },
  );
}

/** The names of all runs that are kept or that may be open, the oldest first; the journals of some may be lost. */
export async function listKnownRuns(state: StateDirectory): Promise<readonly string[]> {
  return [...new Set([...(await listRuns(state)), ...(await listOpenRuns(state))])].sort();
}

/**
 * Throws if a run that is known to be open has lost its journal and may have created records, because the ledger has
 * none of them.
 */
export async function refuseLostRun(state: StateDirectory, run: string): Promise<void> {
  if (await isStillborn(state, run)) return;
  const pushed = (await findPushed(state.contents, run))?.pushed;
  const isKnown =
    pushed !== undefined &&
    (!pushed.hasCreates || pushed.isAbandoned === true || pushed.exitCode !== undefined);
  if (isKnown) return;
  throw lostRun(state, run, pushed);
}

/** The name in the state of the table of a run that is known to be open. */
export async function findTableOf(state: StateDirectory, run: string): Promise<string | undefined> {
  const marks: readonly string[] = await readdir(state.open).catch(() => []);
  const mark = marks.find((name) => name.endsWith(`.${run}`));
  return mark?.slice(0, -run.length - 1) ?? findBegunIn(state, run);
}

/** Why it is not known what an open run created: its journal is lost or damaged; `undefined` if it can be read. */
export async function findLoss(state: StateDirectory, run: string): Promise<RecPushError | undefined> {
  try {
    if ((await loadRun(state, run)) === undefined) await refuseLostRun(state, run);
    return undefined;
  } catch (error) {
    if (error instanceof RecPushError && (error.code === "run-lost" || error.code === "journal-damaged"))
      return error;
    throw error;
  }
}

/** The runs of a table that are known to be open, and of which it is not known what they created. */
export async function findLostRuns(state: StateDirectory, url: string): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const run of await listOpenRuns(state, url))
    if ((await findLoss(state, run)) !== undefined) lost.push(run);
  return lost;
}

/**
 * The user has said which records of a lost run are in the service: from now on the ledger decides about its content. A
 * damaged journal is moved aside. The caller holds the table's lock.
 */
export async function settleLostRun(state: StateDirectory, run: string): Promise<void> {
  await noteGivenUp(state.contents, run);
  const directory = join(state.runs, run);
  try {
    await rename(join(directory, "journal"), join(directory, "journal-damaged"));
    await rm(join(directory, INPUT_COPY), { force: true });
    await syncDirectory(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cannotUse(directory, cause);
  }
  await forgetOpen(state, run);
}
