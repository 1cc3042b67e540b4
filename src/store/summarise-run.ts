import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isNoted, noteClosed, readBegun } from "../ledger/note-run.ts";
import { type Counts, showCount } from "../model/decimal-of.ts";
import { RecPushError } from "../model/failure.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunSummary } from "../model/run-steps.ts";
import { notePushed, type RunFacts } from "./content-index.ts";
import { countRun, RunAccount } from "./count-run.ts";
import type { LogEnd } from "./log.ts";
import { isRunning } from "./process-identity.ts";
import { journalDamaged, readJournal } from "./read-journal.ts";
import { readMarkedLines, readMarks, unmarkOpen } from "./run-mark.ts";
import { cannotUse, type StateDirectory } from "./state-directory.ts";

/** Summarises the state of a stored run. */
export function summariseRun({
  run,
  facts,
  account,
}: Pick<StoredRun, "run" | "facts" | "account">): RunSummary {
  const { table, identity, file, startedAt, totals } = facts;
  const { ending } = account;
  const running = runningProcess(account);
  const { read } = totals;
  const { rejected, skipped } = rowsLeftOut(facts, account);
  return {
    run,
    state: stateOf(account),
    table,
    url: identity.url,
    file,
    startedAt,
    endedAt: account.endedAt,
    read,
    counts: countRun(account, { read, rejected, skipped }),
    assumedApplied: account.assumedApplied,
    exitCode: ending?.exitCode,
    reason: ending?.reason ?? describeLoss(account.process),
    code: ending?.code,
    running: running && { pid: running.pid, host: running.host },
    doubt: account.doubt,
    doubts: account.doubts,
    ...(account.takenOverBy === undefined ? {} : { takenOverBy: account.takenOverBy }),
  };
}

/** The rows of a run that do not become records to send. */
export function rowsLeftOut(
  { totals }: RunFacts,
  { leftOut }: RunAccount,
): Pick<Counts, "rejected" | "skipped"> {
  return { rejected: totals.rejected, skipped: totals.skipped + leftOut };
}

/** The rows of a run that were rejected or refused, so that somebody has to mend them. */
export function countToMend({ facts, account }: Pick<StoredRun, "facts" | "account">): number {
  return rowsLeftOut(facts, account).rejected + account.count("refused");
}

function describeLoss(process: ProcessIdentity | undefined): string {
  if (process === undefined || isRunning(process) !== "unknown") return "its process ended unexpectedly";
  return `its process ended unexpectedly, or still runs elsewhere (pid ${process.pid} on ${process.host})`;
}

/** The process that pushes a run now, as far as can be seen from here. */
export function runningProcess({ ending, process, isAbandoned }: RunAccount): ProcessIdentity | undefined {
  // A process may still be alive after it gave the run up.
  if (isAbandoned) return undefined;
  return ending === undefined && process !== undefined && isRunning(process) === true ? process : undefined;
}

/** A run as read from its directory. */
export interface StoredRun {
  readonly run: string;
  readonly directory: string;
  readonly facts: RunFacts;
  readonly account: RunAccount;
  /** Where the next line of its journal goes. */
  readonly journalEnd: LogEnd;
}

/**
 * *finished*: nothing is left to do; *unsettled*: only doubt is left; *unfinished*: rows are not sent, or failed;
 * *abandoned*: the user gave it up.
 */
export type RunState = "finished" | "unfinished" | "unsettled" | "abandoned";

/** Names of all runs, the oldest first: a name begins with its time. */
export async function listRuns({ runs }: StateDirectory): Promise<readonly string[]> {
  try {
    return (await readdir(runs)).filter((name) => /^\d{8}-\d{6}-[0-9a-f]+$/.test(name)).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotUse(runs, cause);
  }
}

/** Names of the runs that are, or may be, still open, of one table or of all. */
export async function listOpenRuns(state: StateDirectory, url?: string): Promise<readonly string[]> {
  // A mark may have been lost.
  return [...new Set([...(await readMarks(state, url)), ...(await readBegun(state, url))])].sort();
}

/**
 * Reads a run; `undefined` if there is none with that name, or if it ended before it had begun. Throws if its journal
 * is damaged.
 */
export async function loadRun(state: StateDirectory, run: string): Promise<StoredRun | undefined> {
  const directory = join(state.runs, run);
  try {
    const { account, journalEnd } = await readWhole(state, run);
    const { facts } = account;
    // Nothing was sent, and its content may have no entry for it.
    if (facts === undefined || !account.hasBegun) return undefined;
    return { run, directory, facts, account, journalEnd };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause instanceof RecPushError ? cause : cannotUse(directory, cause);
  }
}

/** What a journal says of its run, and where its next line goes. */
interface ReadRun {
  readonly account: RunAccount;
  readonly journalEnd: LogEnd;
}

/**
 * Reads the journal of a run. Throws a machine error if its last lines are missing: a crash never removes lines that
 * were on disk.
 */
async function readWhole(state: StateDirectory, run: string): Promise<ReadRun> {
  const read = await readOnce(state, run);
  if (!isLeftOpen(read.account) || !(await isKnownToEnd(state, run, read.account))) return read;
  // Another process may have ended it in the meantime; a run ends in its journal first.
  const again = await readOnce(state, run);
  if (!isLeftOpen(again.account)) return again;
  const line = again.journalEnd.number + 1;
  throw journalDamaged(join(state.runs, run, "journal"), line, "is lost: the run had ended");
}

async function readOnce(state: StateDirectory, run: string): Promise<ReadRun> {
  const path = join(state.runs, run, "journal");
  const account = new RunAccount();
  const known = await readMarkedLines(state, run);
  const journalEnd = await readJournal(path, (entry, line) => account.take(entry, line));
  if (journalEnd.number < known)
    throw journalDamaged(path, journalEnd.number + 1, `is lost: there were ${showCount(known, "line")}`);
  return { account, journalEnd };
}

/** True if a run has something left to do, by its journal. */
export function isLeftOpen(account: RunAccount): boolean {
  const state = stateOf(account);
  return state === "unfinished" || state === "unsettled";
}

/** True if a run has ended by what other parts of the state hold: it is marked as closed, or is in the ledger. */
async function isKnownToEnd(state: StateDirectory, run: string, { facts }: RunAccount): Promise<boolean> {
  const isClosed = await access(join(state.runs, run, CLOSED)).then(
    () => true,
    () => false,
  );
  return isClosed || (facts !== undefined && (await isNoted(state, run, facts.identity.url)));
}

/**
 * True if a crash ended a run before it could send anything. A journal that is missing or empty does not prove that.
 */
export async function isStillborn(state: StateDirectory, run: string): Promise<boolean> {
  try {
    const { account } = await readWhole(state, run);
    return account.facts !== undefined && !account.hasBegun;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause instanceof RecPushError ? cause : cannotUse(join(state.runs, run), cause);
  }
}

/** Creates a run's directory. */
export async function makeRunDirectory({ runs }: StateDirectory, run: string): Promise<string> {
  const directory = join(runs, run);
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
  return directory;
}

/** The exit code after a fault of this machine. */
const MACHINE_FAULT = 1;

/** The state of a run, from its journal. */
export function stateOf(account: RunAccount): RunState {
  if (account.isAbandoned) return "abandoned";
  const { facts, ending } = account;
  const absent = account.count("absent");
  const settled = account.count("accepted") + account.count("refused") + absent;
  const inDoubt = account.count("inDoubt");
  if (facts === undefined) return "unfinished";
  const { updates, creates, rejected } = facts.totals;
  if (settled + inDoubt + account.leftOut !== updates + creates) return "unfinished";
  if (inDoubt > 0) return "unsettled";
  // Rejects are written last: without an end entry, or after a fault of the machine, they may be missing.
  const rejects = rejected + account.count("refused");
  const isWritten = ending !== undefined && ending.exitCode !== MACHINE_FAULT;
  return rejects === 0 || isWritten ? "finished" : "unfinished";
}

/** The name of the copy of standard input in a run's directory. */
export const INPUT_COPY = "input";

/** The file that marks a run as no longer open. */
export const CLOSED = "closed";

/**
 * Marks a run as no longer open, so that its journal need not be read to find that out, and removes its copy of
 * standard input, which is no longer needed.
 */
export async function closeRun(state: StateDirectory, run: string, url: string): Promise<void> {
  const directory = join(state.runs, run);
  try {
    await rm(join(directory, INPUT_COPY), { force: true });
    await writeFile(join(directory, CLOSED), "", { mode: 0o600 });
  } catch (cause) {
    throw cannotUse(directory, cause);
  }
  await forgetOpen(state, run, url);
}

/**
 * Removes a run from the indexes of open runs. The mark goes last: a mark that is missing while an index still has
 * the run was lost.
 */
export async function forgetOpen(state: StateDirectory, run: string, url?: string): Promise<void> {
  await noteClosed(state, run, url);
  await unmarkOpen(state, run);
}

/** Removes a run's directory; the entry that its content was pushed stays. */
export async function pruneRun(
  state: StateDirectory,
  { directory, facts, account }: StoredRun,
): Promise<void> {
  await notePushed(state.contents, facts.identity, {
    run: facts.run,
    startedAt: facts.startedAt,
    file: facts.file,
    hasCreates: account.hasCreates,
    exitCode: account.ending?.exitCode ?? 0,
    ...(account.isAbandoned ? { isAbandoned: true } : {}),
  });
  // A crash may have left a mark, and a mark without a directory would mean that a run was lost.
  await forgetOpen(state, facts.run, facts.identity.url);
  await rm(directory, { recursive: true, force: true });
}
