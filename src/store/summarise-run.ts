import { join } from "node:path";
import { showCount } from "../model/counts.ts";
import { EXIT, type RunSummary } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { BookRun, Closing, KeptEnd, ShownRun } from "./book-entries.ts";
import type { Book } from "./book.ts";
import { RunAccount } from "./count-run.ts";
import { bookOf, findInBooks } from "./find-books.ts";
import type { LogEnd } from "./log.ts";
import { isRunning, type ProcessIdentity } from "./process-identity.ts";
import { type InDoubtAnswer, journalDamaged, readJournal, waysOn, waysToSay } from "./journal.ts";
import type { NumberRange } from "./number-ranges.ts";
import type { RunFacts } from "./run-facts.ts";
import { cannotUse, damagedState, placeOfRun, type StateDirectory, type TableId } from "./state-directory.ts";
import { readJournalLines } from "./table-lock.ts";

/** The summary of a run for those who ask about it. */
export function summariseRun({ run, begun, end, stored }: KeptRun): RunSummary {
  const { file, startedAt } = begun;
  const running = stored && runningProcess(stored.account);
  return {
    run,
    file,
    startedAt,
    running: running && { pid: running.pid, host: running.host },
    ...end.kept.shown,
  };
}

function showRun(account: RunAccount): ShownRun {
  const { facts, ending, counts, endedAt, doubt, doubts, takenOverBy } = account;
  return {
    state: stateOf(account),
    table: facts.table,
    url: facts.identity.url,
    endedAt,
    read: facts.totals.read,
    counts,
    exitCode: ending?.exitCode,
    reason: ending?.reason ?? describeLoss(account.process),
    code: ending?.code,
    doubt,
    doubts,
    ...(takenOverBy === undefined ? {} : { takenOverBy }),
  };
}

/** The end of a run as the book keeps it once the run is closed. */
export function endOf(account: RunAccount): KeptRun["end"] {
  const { isAbandoned, counts, leftOut, batches, decided } = account;
  const isTaken = stateOf(account) === "finished" && (counts.accepted > 0 || counts.refused === 0);
  return {
    exitCode: account.ending?.exitCode ?? 0,
    hasCreates: account.hasCreates && !isAbandoned && leftOut + account.count("absent") === 0,
    isAbandoned,
    toMend: counts.rejected + counts.refused,
    figures: isTaken ? account.facts.figures : undefined,
    kept: { shown: showRun(account), batches, decided },
  };
}

function describeLoss(process: ProcessIdentity | undefined): string {
  if (process === undefined || isRunning(process) !== "unknown") return "its process ended unexpectedly";
  return `its process ended unexpectedly, or still runs elsewhere (pid ${process.pid} on ${process.host})`;
}

/** The process that pushes a run now, if it can be seen from here. */
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

/** A run that is kept: by its journal until it is closed, then by the book. */
export interface KeptRun extends Pick<StoredRun, "run" | "directory" | "book"> {
  readonly begun: BookRun;
  readonly end: Closing & { readonly kept: KeptEnd };
  /** Its journal; `undefined` once it is closed. */
  readonly stored: StoredRun | undefined;
}

/**
 * *finished*: nothing is left to do; *unsettled*: only doubt is left; *unfinished*: rows are not sent, or failed;
 * *abandoned*: the user gave it up.
 */
type RunState = RunSummary["state"];

/**
 * Reads the journal of a run; `undefined` if no book knows one of that name, if it is closed, or if its journal is gone and
 * it had no creates. A run that no book knows has sent nothing. Throws a machine error if its journal is damaged, or lacks
 * lines that were on disk: a crash never removes those; or if it is gone and the run had creates.
 */
export async function loadRun(state: StateDirectory, run: string): Promise<StoredRun | undefined> {
  const { book, found } = (await findInBooks(state, run)) ?? {};
  // Remains of a closed run's journal, after a kill or a restore, do not count.
  if (book === undefined || found === undefined || found.closed !== undefined) return undefined;
  const directory = placeOfRun(book.directory, run);
  const path = join(directory, "journal");
  try {
    const { facts } = found;
    // A plan has lost it.
    if (facts === undefined) throw lostRun(directory, found);
    const account = new RunAccount(facts);
    const lines = await readJournalLines(book.directory, run);
    const journalEnd = await readJournal(path, (entry, line) => account.take(entry, line));
    const { number } = journalEnd;
    if (number < lines)
      throw journalDamaged(path, number + 1, `is lost: there were ${showCount(lines, "line")}`);
    return { run, directory, book, facts, account, journalEnd };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cannotUse(directory, cause);
    if (found.hasCreates) throw lostRun(directory, found);
    return undefined;
  }
}

function lostRun(directory: string, { run, file, startedAt, plan }: BookRun): RecPushError {
  const day = `${startedAt.slice(0, 16).replace("T", " ")} UTC`;
  const what = `the journal of the run ${run}, which pushed ${file} on ${day}, is lost from ${plan ?? directory}`;
  // Nothing says how a plan read its files.
  return plan === undefined
    ? damagedState(what, waysOn(run))
    : damagedState(what, waysToSay([run]), { backupHelps: false });
}

/** A run that was not closed: its journal, or why its creates are uncertain. */
export interface UnclosedRun {
  readonly run: string;
  readonly stored?: StoredRun | undefined;
  /** Its journal is lost or damaged. */
  readonly loss?: RecPushError;
}

/** Like {@link loadRun}; a lost or damaged journal is a value here. */
export async function readRun(state: StateDirectory, run: string): Promise<UnclosedRun> {
  try {
    return { run, stored: await loadRun(state, run) };
  } catch (error) {
    if (error instanceof RecPushError && error.code === "state-damaged") return { run, loss: error };
    throw error;
  }
}

/** The runs of a table that began and were not closed, in the order of the book: the oldest first, whatever the clock said. */
export async function unclosedRuns(state: StateDirectory, table: TableId): Promise<readonly UnclosedRun[]> {
  const found: UnclosedRun[] = [];
  for (const { run } of (await bookOf(state, table)).open) found.push(await readRun(state, run));
  return found;
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
  const { run, directory, book } = stored;
  return { run, directory, book, begun: book.run(run)!, end: endOf(stored.account), stored };
}

/** True if a run has something left to do, by its journal. */
export function isOpen({ account }: Pick<StoredRun, "account">): boolean {
  const state = stateOf(account);
  return state === "unfinished" || state === "unsettled";
}

/** The state of a run, from its journal. */
export function stateOf(account: RunAccount): RunState {
  if (account.isAbandoned) return "abandoned";
  const { facts, ending } = account;
  const { updates, creates, rejected } = facts.totals;
  if (account.settled + account.leftOut !== updates + creates) return "unfinished";
  if (account.count("inDoubt") > 0) return "unsettled";
  // Rejects are written last: without an end entry, or after a fault of the machine, they may be missing.
  const rejects = rejected + account.count("refused");
  const isWritten = ending !== undefined && ending.exitCode !== EXIT.fault;
  return rejects === 0 || isWritten ? "finished" : "unfinished";
}

/** The name of the copy of standard input in a run's directory. */
export const INPUT_COPY = "input";

/** The user's decision on the doubt with that name, and on no other. */
export interface DoubtDecision {
  readonly doubt: string;
  readonly inDoubt: InDoubtAnswer;
  /** The file by which it was given, and the names of the rows that are left in it. */
  readonly file?: {
    readonly path: string;
    readonly sha256: string;
    readonly left: ReadonlySet<string>;
  };
  /** The creates whose rows were deleted from it. */
  readonly applied?: readonly NumberRange[];
}

/** The decisions on a run, and its present doubt. */
type DecidedRun = Pick<KeptEnd, "decided"> & { readonly shown: Pick<ShownRun, "doubt"> };

/** Why a decision on another doubt than the present one decides nothing. */
export function whyNothingIsDecided(
  run: string,
  { decided, shown: { doubt: now } }: DecidedRun,
  { doubt }: Pick<DoubtDecision, "doubt">,
): string {
  const answer = decided[doubt];
  const present = now === undefined ? "nothing is in doubt now" : `what is in doubt now is ${now}`;
  return answer === undefined
    ? `${doubt} is not in doubt in the run ${run}: nothing is decided; ${present}`
    : `the doubt ${doubt} of the run ${run} was decided before (${answer}): this line decides nothing; ${present}`;
}
