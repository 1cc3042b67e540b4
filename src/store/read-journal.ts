import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/settlement.ts";
import { type LineName, type LogEnd, type LogReader, readLog } from "./log.ts";
import type { NumberRange } from "./number-ranges.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { openOwnFile } from "./state-directory.ts";

/**
 * Passes the entries of a journal to `take`, in order and in constant memory; returns where the next line goes. Damage throws,
 * naming the line.
 */
export async function readJournal(
  path: string,
  take: (entry: JournalEntry, line: LineName) => void,
  damaged: LogReader<JournalEntry>["damaged"] = (line, how) => journalDamaged(path, line, how),
): Promise<LogEnd> {
  let ownFence: number | undefined;
  const handle = await openJournal(path);
  try {
    return await readLog<JournalEntry>(handle, {
      damaged,
      take(entry, line, fence) {
        if (entry.entry === "begin") ownFence = fence;
        if (fence !== ownFence) return "was written by a process that had lost the table's lock";
        take(entry, line);
        return undefined;
      },
    });
  } finally {
    await handle.close();
  }
}

async function openJournal(path: string): Promise<FileHandle> {
  try {
    return await openOwnFile(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Something else has its place, such as a socket, or another user could have written it.
    throw code === undefined || code === "ENXIO"
      ? damaged(path, `the journal ${path} cannot be read: ${message}`)
      : cause;
  }
}

/**
 * The error for a line of a journal that is not as it was written; `how` continues the sentence after "this line of
 * the journal".
 */
export function journalDamaged(path: string, line: number, how: string): RecPushError {
  return damaged(path, `${path}:${line}: this line of the journal ${how}`, line);
}

function damaged(path: string, what: string, line?: number): RecPushError {
  return uncertainRun(basename(dirname(path)), what, {
    place: { file: path, ...(line === undefined ? {} : { line }) },
  });
}

/** The error for a run whose journal is damaged or lost, as `what` says, so that its creates are uncertain. */
export function uncertainRun(
  run: string,
  what: string,
  { place, plan }: { readonly place?: RecPushError["place"]; readonly plan?: string | undefined },
): RecPushError {
  const repair = [
    "restore it from a backup, then run the same command again",
    "or, if the file that was pushed is still there, rec-push runs repair: what is not certain counts as in doubt",
    "or ",
  ].join("\n");
  return new RecPushError(
    "journal-damaged",
    `${what}. It is no longer certain which records the run ${run} has sent, and a record without key that is sent again is created twice`,
    // Nothing says how a plan read its files.
    { hint: `${plan === undefined ? repair : ""}${waysToSay([run])}`, place },
  );
}

/** How a person says which records these runs created. */
export function waysToSay(runs: readonly string[]): string {
  return [
    "check in the service which records without key of that run are there, say so, then run the same command again:",
    "  rec-push ledger add FILE --table NAME   FILE holds those that are there, and no others",
    ...runs.map((run) => `  rec-push runs forget ${run}   none is there`),
  ].join("\n");
}

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
  /** Absent if they may never have been sent. */
  readonly given?: {
    /** Their places among the updates of the run. */
    readonly ordinals: readonly NumberRange[];
    /** Sets of fields, and the number of its set for each update. */
    readonly sets: readonly (readonly string[])[];
    readonly setOf: readonly number[];
  };
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
  /**
   * The creates of the run that are not sent because the ledger holds them, some of them perhaps in doubt; replaces
   * an earlier entry of this kind.
   */
  | { readonly entry: "leftOut"; readonly creates: number; readonly inDoubt?: number }
  /** These updates are about to leave, while rows of an older run may be sent later. */
  | ({ readonly entry: "keys" } & NotedKeys)
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
