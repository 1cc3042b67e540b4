import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/settlement.ts";
import type { TableLock } from "./held-lock.ts";
import { EMPTY_LOG, type LineName, type LogEnd, readLog, replaceLog, writeLines } from "./log.ts";
import type { NumberRange } from "./number-ranges.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { damagedState, syncDirectory } from "./state-directory.ts";

/* The journal of a run: a log (log.ts) of what was announced, what came back, and how its processes ended. */

/** Records of one request: their places among the updates or the creates of the run, and their lines. */
export interface Stretch {
  readonly batch: number;
  readonly kind: RecordKind;
  readonly ordinals: readonly NumberRange[];
  /** Lines of the first and the last record. */
  readonly lines: NumberRange;
}

/** The outcome of a stretch of records. */
export interface OutcomeEntry extends Stretch {
  readonly entry: "outcome";
  readonly outcome: "accepted" | "refused" | "failed" | "inDoubt";
  readonly status: number | undefined;
  readonly msg: string;
  readonly attempts: number;
}

/** Some updates of a run. */
export interface NotedKeys {
  /** The hashes of their keys, one after the other, in base64. */
  readonly hashes: string;
  /** Their places among the updates of the run. */
  readonly ordinals: readonly NumberRange[];
  /** Sets of fields, and the number of its set for each update. */
  readonly sets: readonly (readonly string[])[];
  readonly setOf: readonly number[];
}

/** The records that a run has left to be sent. */
export interface LeftRecords {
  /** A print of each of its creates, sent ones too. */
  readonly creates: readonly string[];
  /** Absent if none is left. */
  readonly updates?: NotedKeys | undefined;
}

/** The entries of a journal, in the order in which they happen. */
export type JournalEntry =
  /** A process takes the run up. */
  | { readonly entry: "begin"; readonly at: string; readonly process: ProcessIdentity }
  /** These creates are about to leave; only an outcome or an orderly end settles them. */
  | ({
      readonly entry: "intent";
      /** The prints of the records, in their order, as base64. */
      readonly prints: string;
    } & Stretch)
  | OutcomeEntry
  /** The creates of the run that are not sent because the ledger holds them; replaces an earlier entry of this kind. */
  | { readonly entry: "leftOut"; readonly creates: number }
  /** These updates are about to leave, while rows of an older run may be sent later. */
  | ({ readonly entry: "keys" } & NotedKeys)
  /** The journal was repaired: nothing says any more which updates may have left. */
  | { readonly entry: "keysLost" }
  /** These updates are not sent, because later runs have given all their fields. */
  | { readonly entry: "overtaken"; readonly ordinals: readonly NumberRange[] }
  /** The user decides on all records in doubt. These are creates: an update that may have been applied is sent again. */
  | {
      readonly entry: "decision";
      /** The name of the doubt. */
      readonly doubt: string;
      readonly inDoubt: InDoubtAnswer;
      readonly at: string;
      /** Those that count as applied whatever the answer for the others is: the user deleted their rows from the file. */
      readonly applied?: readonly NumberRange[];
    }
  /** The process ended its work on the run in order: creates without an outcome were certainly not applied. */
  | { readonly entry: "end"; readonly at: string; readonly end: RunEnding }
  /**
   * The rest of an unfinished run: the prints of its creates, and the updates that it has not sent, so that it can be
   * proven later that other pushes sent them all. A decision may leave others.
   */
  | ({ readonly entry: "left" } & LeftRecords)
  /** The user gave the run up, or the run `by` took it over; it is no longer open. */
  | { readonly entry: "abandon"; readonly at: string; readonly by?: string };

/** The state of a run when its process ended. */
export interface RunEnding {
  readonly exitCode: number;
  readonly reason: string;
  /** The failure that stopped it. */
  readonly code?: FailureCode;
}

/**
 * The user's answer on records in doubt: they are in the service; they are not, and are sent now; or they are not, and are
 * not sent.
 */
export type InDoubtAnswer = "applied" | "resend" | "absent";

/**
 * Passes the entries of a journal to `take`, in order and in constant memory; returns where the next line goes. Damage throws,
 * naming the line.
 */
export async function readJournal(
  path: string,
  take: (entry: JournalEntry, line: LineName) => void,
): Promise<LogEnd> {
  const handle = await open(path);
  try {
    const damaged = (line: number, how: string): Error => journalDamaged(path, line, how);
    return await readLog<JournalEntry>(handle, { damaged, take });
  } finally {
    await handle.close();
  }
}

/**
 * The error for a line of a journal that is not as it was written; `how` continues the sentence after "this line of
 * the journal".
 */
export function journalDamaged(path: string, line: number, how: string): RecPushError {
  const what = `${path}:${line}: this line of the journal ${how}`;
  return damagedState(what, waysOn(basename(dirname(path))), { place: { file: path, line } });
}

/** How a table with a run whose journal is damaged or lost goes on without a backup. */
export function waysOn(run: string): string {
  return `or, if the file that was pushed is still there, rec-push runs repair: what is not certain counts as in doubt\nor ${waysToSay([run])}`;
}

/** How a person says which records these runs created. */
export function waysToSay(runs: readonly string[]): string {
  return [
    "check in the service which records without key of that run are there, say so, then run the same command again:",
    "  rec-push ledger add FILE --table NAME   FILE holds those that are there, each as often as the service has it, and no others",
    ...runs.map((run) => `  rec-push runs forget ${run}   none is there`),
  ].join("\n");
}

/** Appends to a run's journal. Once a write has failed, as on a full disk, it takes no entry more. */
export class JournalWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #lock: TableLock;
  #end: LogEnd;
  #syncing: Promise<void> | undefined;
  #failure: RecPushError | undefined;

  private constructor(path: string, handle: FileHandle, end: LogEnd, lock: TableLock) {
    this.#path = path;
    this.#handle = handle;
    this.#lock = lock;
    this.#end = end;
  }

  /** Creates a journal (0600); its name, and that of its directory, are on disk when this resolves. */
  static async create(path: string, lock: TableLock): Promise<JournalWriter> {
    try {
      const handle = await open(path, "wx", 0o600);
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
      return new JournalWriter(path, handle, EMPTY_LOG, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /** Continues after the last whole line, without the partial line that a crash left, in a copy that replaces the journal. */
  static async reopen(path: string, end: LogEnd, lock: TableLock): Promise<JournalWriter> {
    try {
      await replaceLog(path, end, lock.check);
      return new JournalWriter(path, await open(path, "r+"), end, lock);
    } catch (cause) {
      throw cannotWrite(path, cause);
    }
  }

  /** Where the next line goes. */
  get end(): LogEnd {
    return this.#end;
  }

  /** The reason if nothing can be written any more. */
  get failure(): RecPushError | undefined {
    return this.#failure;
  }

  /**
   * Hands an entry to the operating system: it survives the end of this process, but not yet a power failure. Returns its
   * line. Throws a machine error.
   */
  append(entry: JournalEntry): LineName {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#lock.checkAfterGap();
      const [end] = writeLines(this.#handle.fd, this.#end, [entry]);
      return (this.#end = end!);
    } catch (cause) {
      throw (this.#failure = cannotWrite(this.#path, cause));
    }
  }

  /** Resolves when everything appended before is on disk; one sync serves all callers that ask in the meantime. */
  async sync(): Promise<void> {
    // A sync under way may have begun before the last entry was written.
    await this.#syncing;
    this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined));
    await this.#syncing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #sync(): Promise<void> {
    // Answers that have come are read first: their outcomes, and what is sent next, share a sync.
    await setImmediate();
    if (this.#failure !== undefined) return;
    try {
      await this.#handle.datasync();
    } catch (cause) {
      this.#failure = cannotWrite(this.#path, cause);
    }
  }
}

function cannotWrite(path: string, cause: unknown): RecPushError {
  if (cause instanceof RecPushError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RecPushError("cannot-write-journal", `the journal cannot be written: ${why}`, {
    hint: `free space on the disk of ${path}, or mend what the message says, then run the same command again: it continues where this one ended; with another --state-dir it would not know what was sent, and records would be created twice`,
    cause,
  });
}
