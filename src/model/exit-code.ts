import type { Counts, DoubtFile } from "./counts.ts";
import type { Summary } from "./event.ts";
import type { FailureCode } from "./failure-codes.ts";
import type { FailureKind, RecPushError } from "./failure.ts";
import type { RecordKind } from "./settlement.ts";

/** Exit codes are the public interface: never renumbered. */
export const EXIT = {
  ok: 0,
  fault: 1,
  usage: 2,
  input: 3,
  refused: 4,
  credentials: 5,
  request: 6,
  unreachable: 7,
  inDoubt: 8,
  locked: 9,
} as const;

/** The signals that end a run in order. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** 128 plus the number of the signal, as in shells. */
export const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Readonly<
  Record<StopSignal, number>
>;

const NONE = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };

/** The input of {@link exitCode}. */
export type Ending = Pick<RunEnd, "counts" | "failure"> &
  Partial<Pick<RunEnd, "hasBegun" | "earlier" | "newlyChanged">> & {
    readonly signal: StopSignal | undefined;
  };

/**
 * Turns an ending into an exit code; nothing else does. If several apply, the first of these counts: in doubt, a signal,
 * the failure, failed rows, rows to mend.
 */
export function exitCode(ending: Ending): number {
  const { failure, signal, hasBegun = true, earlier = [], newlyChanged = 0 } = ending;
  const counts = hasBegun ? ending.counts : NONE;
  if (counts.inDoubt > 0 || earlier.some(({ inDoubt }) => inDoubt > 0)) return EXIT.inDoubt;
  // A signal after the last record was sent has changed nothing.
  const isCutShort = failure !== undefined || counts.notSent + counts.failed > 0;
  if (signal !== undefined && isCutShort) return SIGNAL_EXIT[signal];
  if (failure !== undefined) return failureExit(failure.kind, counts);
  if (counts.failed > 0) return EXIT.unreachable;
  const isToMend =
    counts.refused + counts.rejected + newlyChanged > 0 || earlier.some(({ hasRejects }) => hasRejects);
  return isToMend ? EXIT.refused : EXIT.ok;
}

const FAILURE_EXIT: Readonly<Record<Exclude<FailureKind, "input">, number>> = {
  usage: EXIT.usage,
  refused: EXIT.refused,
  credentials: EXIT.credentials,
  request: EXIT.request,
  unreachable: EXIT.unreachable,
  locked: EXIT.locked,
  machine: EXIT.fault,
  interrupted: SIGNAL_EXIT.SIGINT,
};

/** The exit code of a failure; `counts` are the rows that were settled before it. */
function failureExit(kind: FailureKind, counts: Counts): number {
  if (kind !== "input") return FAILURE_EXIT[kind];
  // Exit 3 promises that nothing was sent.
  return counts.accepted + counts.refused + counts.failed > 0 ? EXIT.refused : EXIT.input;
}

/** How a run ended; `failure` is what stopped it. */
export interface RunEnd extends Pick<Summary, "read" | "batches" | "runs" | "openRuns" | "unpinned"> {
  readonly counts: Counts;
  /** Those of its runs that have nothing left to do, and are closed once the user knows how the command ended. */
  readonly doneRuns: readonly string[];
  /** The runs whose content, or some of whose records, are left out now because they were pushed before. */
  readonly earlier: readonly EarlierEnd[];
  /** Creates left out that were created before with other values, and that no user has heard of yet. */
  readonly newlyChanged: number;
  /** Those of the runs that have records in doubt. */
  readonly doubts: readonly DoubtfulRun[];
  readonly failure: RecPushError | undefined;
  /** False if the run was refused before it was resumed: the counts are those that earlier commands left. */
  readonly hasBegun?: boolean;
  /** The directory of the plan, as a word of a command, if a shard of it was pushed. */
  readonly plan?: string | undefined;
  /** Files with rows that a person must look at; a file without rows is not made. */
  readonly rejectsFiles?: readonly RejectsFile[];
  /** Files with rows in doubt, one per run. */
  readonly doubtFiles?: readonly DoubtFile[];
}

/** A run that has records in doubt. */
export interface DoubtfulRun extends Pick<RunSummary, "run" | "file" | "doubts" | "inputNow"> {
  /** The name of the run in a resume command; a shard has a name of its own. */
  readonly calledBy?: string | undefined;
  /** The name of what it has in doubt now. */
  readonly doubt: string;
  /** Its rows that still have to be sent. */
  readonly left: number;
}

/** An earlier run of the same content, or of some of its records. */
export interface EarlierEnd {
  readonly run: string;
  /** True if it left rows to be mended. */
  readonly hasRejects: boolean;
  /** Creates of this input that the run left in doubt. */
  readonly inDoubt: number;
  /** The name of that doubt. */
  readonly doubt?: string | undefined;
}

/** A file with rows that are to be mended and pushed. */
export interface RejectsFile {
  /** The input, as named. */
  readonly file: string;
  readonly path: string;
  readonly rows: number;
  /** How many of them are overtaken by later rows of the command: a push passes them over. */
  readonly later: number;
  /** `undefined` if the command cannot be made. */
  readonly mend: MendCommand | undefined;
}

/** The command that pushes rejects once they are mended. */
export interface MendCommand {
  readonly command: string;
  /** Options whose values are secret, so that they are not in the command. */
  readonly leftOut: readonly string[];
  /** True for the rows of a workbook, which are written as CSV. */
  readonly isOfWorkbook: boolean;
}

/** The state of a kept run. */
export interface RunSummary {
  readonly run: string;
  readonly state: "finished" | "unfinished" | "unsettled" | "abandoned";
  readonly table: string;
  readonly url: string;
  readonly file: string;
  /** ISO 8601, UTC, like all times. */
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly read: number;
  readonly counts: Counts;
  /** The exit code of the last process that worked on the run. */
  readonly exitCode: number | undefined;
  readonly reason: string;
  /** The failure that stopped that process. */
  readonly code: FailureCode | undefined;
  /** The process that is pushing it now. */
  readonly running: { readonly pid: number; readonly host: string } | undefined;
  /** The places of the records in doubt. */
  readonly doubts: readonly Doubt[];
  /** For a run that was abandoned without the user: the run that took its records over. */
  readonly takenOverBy?: string | undefined;
  /** The name of what is in doubt now. */
  readonly doubt: string | undefined;
  /** The file with the rows in doubt. */
  readonly doubtFile?: Omit<DoubtFile, "run"> | undefined;
  /** Its rows that still have to be mended and pushed; `isThere`: their file is. */
  readonly rowsToMend?:
    (Pick<RejectsFile, "path" | "rows" | "later" | "mend"> & { readonly isThere: boolean }) | undefined;
  /** What has become of its file, which it needs in order to send more; `undefined` if that is still the same. */
  readonly inputNow?: "changed" | "gone" | undefined;
}

/** Records of one request that are in doubt. */
export interface Doubt {
  readonly batch: number;
  readonly kind: RecordKind;
  /** The lines of the first and the last record. */
  readonly lines: readonly [first: number, last: number];
  readonly records: number;
  /** The service refused the request as a whole: it would refuse it again. */
  readonly isRefused: boolean;
}

/** The place of such records for programs, after `about`. */
export function placeOf<About>(about: About, { kind, records: rows, lines: [first, last] }: Doubt) {
  return { ...about, kind, rows, first, last };
}
