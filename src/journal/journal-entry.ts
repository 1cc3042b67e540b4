import type { Counts } from "../model/event.ts";
import type { FailureCode } from "../model/failure-codes.ts";
import type { RecordKind } from "../model/record.ts";
import type { ProcessIdentity } from "../model/process-identity.ts";
import type { NumberRange } from "./number-ranges.ts";
import type { JOURNAL_VERSION, RunFacts } from "./run-facts.ts";

/** Records by their places among the updates and among the creates of the run. */
export type OrdinalsByKind = Readonly<Record<RecordKind, readonly NumberRange[]>>;

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

/** The entries of a journal, in the order in which they happen. */
export type JournalEntry =
  /** The first entry; occurs once. */
  | { readonly entry: "run"; readonly facts: RunFacts }
  | Beginning
  /** These creates are about to leave; only an outcome or an orderly end can say what became of them. */
  | ({ readonly entry: "intent" } & Stretch & Announced)
  | OutcomeEntry
  /**
   * The creates of the run that are not sent because the ledger holds them, some of them perhaps in doubt; replaces
   * an earlier entry of this kind.
   */
  | { readonly entry: "leftOut"; readonly creates: number; readonly inDoubt?: number }
  /** The user says what became of records in doubt. */
  | Decision
  /** The process ended its work on the run in order: creates without an outcome were certainly not applied. */
  | { readonly entry: "end"; readonly at: string; readonly end: RunEnding }
  /** The user gave the run up, or the run `by` took it over; it is no longer open. */
  | { readonly entry: "abandon"; readonly at: string; readonly by?: string };

/** A process takes the run up. */
interface Beginning {
  readonly entry: "begin";
  readonly at: string;
  readonly process: ProcessIdentity;
  /** The format of the lines from here on. */
  readonly version: typeof JOURNAL_VERSION;
}

/** The creates of an announcement. */
interface Announced {
  /** The prints of the records, in their order, as base64. */
  readonly prints: string;
}

/** The state of a run when its process ended. */
export interface RunEnding {
  readonly exitCode: number;
  readonly read: number;
  readonly counts: Counts;
  readonly reason: string;
  /** The failure that stopped it. */
  readonly code?: FailureCode;
}

/** What the user says of records in doubt: they are in the service; they are not, and are sent now, or not sent. */
export type InDoubtAnswer = "applied" | "resend" | "absent";

/** The user's decision on all records that are in doubt. */
interface Decision {
  readonly entry: "decision";
  /** The name of the doubt. */
  readonly doubt: string;
  readonly inDoubt: InDoubtAnswer;
  readonly at: string;
  /** Those that are in the service whatever the answer for the others is: the user deleted them from the file. */
  readonly applied?: OrdinalsByKind;
}
