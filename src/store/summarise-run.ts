import { join } from "node:path";
import { type Counts, showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { RunSummary } from "../model/run-steps.ts";
import type { BookRun, Closing, KeptEnd, ShownRun } from "./book-entries.ts";
import type { Book } from "./book.ts";
import { findInBooks } from "./find-books.ts";
import { countRun, RunAccount } from "./count-run.ts";
import type { LogEnd } from "./log.ts";
import { isRunning } from "./process-identity.ts";
import { journalDamaged, readJournal } from "./read-journal.ts";
import type { RunFacts } from "./run-facts.ts";
import { cannotUse, type StateDirectory } from "./state-directory.ts";
import { readJournalLines } from "./table-lock.ts";
import { placeOfRun } from "./table-place.ts";

/** What a run is to those who ask about it, by its journal. */
export function summariseRun(stored: Pick<StoredRun, "run" | "facts" | "account">): RunSummary {
  const { run, facts, account } = stored;
  const running = runningProcess(account);
  return {
    run,
    file: facts.file,
    startedAt: facts.startedAt,
    running: running && { pid: running.pid, host: running.host },
    ...showRun(stored),
  };
}

function showRun({ facts, account }: Pick<StoredRun, "facts" | "account">): ShownRun {
  const { ending } = account;
  const { read } = facts.totals;
  const { rejected, skipped } = rowsLeftOut(facts, account);
  return {
    state: stateOf(account),
    table: facts.table,
    url: facts.identity.url,
    endedAt: account.endedAt,
    read,
    counts: countRun(account, { read, rejected, skipped }),
    assumedApplied: account.assumedApplied,
    exitCode: ending?.exitCode,
    reason: ending?.reason ?? describeLoss(account.process),
    code: ending?.code,
    doubt: account.doubt,
    doubts: account.doubts,
    ...(account.takenOverBy === undefined ? {} : { takenOverBy: account.takenOverBy }),
  };
}

/** How a run stands: what the book keeps of it once it is closed. */
export function endOf(stored: Pick<StoredRun, "facts" | "account">): KeptRun["end"] {
  const { account } = stored;
  const toMend = countToMend(stored);
  const refusedCreates = account.countOf("create", "refused");
  return {
    exitCode: account.ending?.exitCode ?? 0,
    hasCreates: account.hasCreates,
    ...(account.isAbandoned ? { isAbandoned: true } : {}),
    ...(asksLedger(account) ? { asksLedger: true } : {}),
    ...(toMend > 0 ? { toMend } : {}),
    ...(refusedCreates > 0 ? { refusedCreates } : {}),
    kept: {
      shown: showRun(stored),
      batches: account.batches,
      decided: account.decided,
    },
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
function runningProcess({ ending, process, isAbandoned }: RunAccount): ProcessIdentity | undefined {
  // A process may still be alive after it gave the run up.
  if (isAbandoned) return undefined;
  return ending === undefined && process !== undefined && isRunning(process) === true ? process : undefined;
}

/** A run as read from its directory. */
export interface StoredRun {
  readonly run: string;
  readonly directory: string;
  /** That of its table. */
  readonly book: Book;
  readonly facts: RunFacts;
  readonly account: RunAccount;
  /** Where the next line of its journal goes. */
  readonly journalEnd: LogEnd;
}

/** A run that is kept: by its journal while it is open or in doubt, else by the book. */
export interface KeptRun extends Pick<StoredRun, "run" | "directory" | "book"> {
  readonly begun: BookRun;
  readonly end: Closing & { readonly kept: KeptEnd };
  /** Its journal; `undefined` once that is gone. */
  readonly stored: StoredRun | undefined;
}

/**
 * *finished*: nothing is left to do; *unsettled*: only doubt is left; *unfinished*: rows are not sent, or failed;
 * *abandoned*: the user gave it up.
 */
export type RunState = RunSummary["state"];

/**
 * Reads the journal of a run; `undefined` if no book knows one of that name, if it is closed and nothing of it is in doubt, or
 * if its journal is gone. A run that no book knows has sent nothing. Throws if its journal is damaged.
 */
export async function loadRun(state: StateDirectory, run: string): Promise<StoredRun | undefined> {
  const known = await findInBooks(state, run);
  if (known === undefined) return undefined;
  const { book, found } = known;
  // What a kill left of the journal of a closed run, or what somebody restored, says nothing more.
  if (found.closed !== undefined && !book.isInDoubt(run)) return undefined;
  const directory = placeOfRun(book.directory, run);
  try {
    const read = await readOnce(directory, book.directory, run);
    const { facts } = read.account;
    // Its lines were on disk before the book knew the run.
    if (facts === undefined) throw journalDamaged(join(directory, "journal"), 1, "is lost");
    if (found.closed !== undefined && isLeftOpen(read.account))
      throw journalDamaged(
        join(directory, "journal"),
        read.journalEnd.number + 1,
        "is lost: the run had ended",
      );
    return { run, directory, book, facts, ...read };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause instanceof RecPushError ? cause : cannotUse(directory, cause);
  }
}

/** A run that is kept; `undefined` if none has that name, if it was pruned, or if its journal is lost. Throws like {@link loadRun}. */
export async function loadKept(state: StateDirectory, run: string): Promise<KeptRun | undefined> {
  const known = await findInBooks(state, run);
  if (known === undefined) return undefined;
  const { book } = known;
  const stored = await loadRun(state, run);
  if (stored !== undefined) return keptOf(stored);
  // Another process may have closed it since.
  await book.refresh();
  const begun = book.run(run);
  const { kept } = begun?.closed ?? {};
  if (begun === undefined || kept === undefined) return undefined;
  const directory = placeOfRun(book.directory, run);
  return { run, directory, book, begun, end: { ...begun.closed!, kept }, stored: undefined };
}

/** A run by its journal as it is now. */
export function keptOf(stored: StoredRun): KeptRun {
  const { run, directory, book, facts } = stored;
  return { run, directory, book, begun: { ...book.run(run)!, facts }, end: endOf(stored), stored };
}

/** The same as {@link summariseRun}, for a run that is perhaps closed. */
export function summariseKept({ run, begun, end, stored }: KeptRun): RunSummary {
  if (stored !== undefined) return summariseRun(stored);
  const { file, startedAt } = begun;
  return { run, file, startedAt, running: undefined, ...end.kept.shown };
}

/** What a journal says of its run, and where its next line goes. */
type ReadRun = Pick<StoredRun, "account" | "journalEnd">;

/**
 * Reads the journal of a run. Throws a machine error if its last lines are missing: a crash never removes lines that
 * were on disk.
 */
async function readOnce(directory: string, table: string, run: string): Promise<ReadRun> {
  const path = join(directory, "journal");
  const account = new RunAccount();
  const known = await readJournalLines(table, run);
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

/** True if a run did not create all of its creates: a later push of the same content asks the ledger about each. */
function asksLedger(account: RunAccount): boolean {
  return account.isAbandoned || account.leftOut + account.count("absent") > 0;
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
