import type { Counts } from "./event.ts";
import type { FailureKind, RecPushError } from "./failure.ts";
import type { EarlierEnd } from "./run-end.ts";

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
export interface Ending {
  readonly counts: Counts;
  readonly failure: RecPushError | undefined;
  readonly signal: StopSignal | undefined;
  /** False if the counts are those of earlier commands, and this one only failed. */
  readonly hasBegun?: boolean;
  /** Runs whose content or records are left out now. */
  readonly earlier?: readonly EarlierEnd[];
  /** Creates left out that were created before with other values, and that nobody was told of yet. */
  readonly newlyChanged?: number;
}

/**
 * Turns an ending into an exit code; nothing else does. If several apply, the first of these is taken: in doubt, a
 * signal, the failure, failed rows, rows to mend.
 */
export function exitCode(ending: Ending): number {
  const { failure, signal, hasBegun = true, earlier = [], newlyChanged = 0 } = ending;
  const counts = hasBegun ? ending.counts : NONE;
  if (counts.inDoubt > 0 || earlier.some(({ inDoubt }) => inDoubt > 0)) return EXIT.inDoubt;
  // A signal that came when all was sent has changed nothing.
  const isCutShort = failure !== undefined || counts.notSent + counts.failed > 0;
  if (signal !== undefined && isCutShort) return SIGNAL_EXIT[signal];
  if (failure !== undefined) return failureExit(failure.kind, counts);
  if (counts.failed > 0) return EXIT.unreachable;
  const isToMend =
    counts.refused + counts.rejected + newlyChanged > 0 || earlier.some(({ hasRejects }) => hasRejects);
  return isToMend ? EXIT.refused : EXIT.ok;
}

/** The exit code of a failure; `counts` are the rows that were settled before it. */
function failureExit(kind: FailureKind, counts: Counts): number {
  switch (kind) {
    case "usage":
      return EXIT.usage;
    case "input":
      // Exit 3 promises that nothing was sent.
      return counts.accepted + counts.refused + counts.failed > 0 ? EXIT.refused : EXIT.input;
    case "refused":
      return EXIT.refused;
    case "credentials":
      return EXIT.credentials;
    case "request":
      return EXIT.request;
    case "unreachable":
      return EXIT.unreachable;
    case "locked":
      return EXIT.locked;
    case "machine":
      return EXIT.fault;
    case "interrupted":
      return SIGNAL_EXIT.SIGINT;
  }
}
