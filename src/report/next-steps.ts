import type { RunEnd } from "../model/run-end.ts";

/** What a person is told at the end beside the numbers. */
export interface Advice {
  /** One sentence: why it ended so; empty where the numbers say it. */
  readonly reason: string;
  /** What to do next, in the order to do it. */
  readonly next: readonly string[];
  readonly safeToRerun: boolean;
}

/** Endings after which the same command may run again, as far as the exit code alone tells. */
const RERUN_AFTER = new Set([0, 1, 7, 129, 130, 143]);

/**
 * The advice for an ending. Once a create was sent the same command is never safe: the service has no idempotency key,
 * so a create that it holds would be made a second time.
 */
export function adviseNext(end: RunEnd, exitCode: number): Advice {
  const safeToRerun = RERUN_AFTER.has(exitCode) && !end.createsSent;
  return { reason: reasonOf(end), next: stepsOf(end, exitCode, safeToRerun), safeToRerun };
}

function reasonOf({ failure, counts, read }: RunEnd): string {
  if (failure !== undefined) return failure.message.split("\n")[0] ?? "";
  if (counts.inDoubt > 0) return "The service may or may not have applied the records in doubt.";
  if (counts.failed > 0) return "The service kept failing for some batches.";
  if (counts.refused + counts.rejected > 0)
    return "Some rows were not sent or not taken, each is named above.";
  if (read === counts.skipped) return "Nothing to do.";
  return "";
}

const PUSH_THE_REST =
  "put the rows that were not accepted into a file of their own (the batch lines above name their lines) and push that file";
const NOT_AGAIN = "do not run the same command again: the records it creates would be created twice";

function stepsOf(end: RunEnd, exitCode: number, safeToRerun: boolean): string[] {
  switch (exitCode) {
    case 0:
      return [];
    case 8:
      return [
        "look in the service whether the records in doubt are there",
        "put those that are not there, with the rows not sent, into a file of their own and push that file",
        NOT_AGAIN,
      ];
    case 4:
      if (end.failure?.code === "invalid-row") {
        return ["mend the row named above", rest(end, safeToRerun, true)];
      }
      return sentNothing(end)
        ? ["mend the rows named above, then run the same command again"]
        : ["mend the rows named above in a file that holds only them, and push that file", ...warning(end)];
    case 5:
      return ["give a valid token in REC_PUSH_TOKEN or --token-file", rest(end, safeToRerun, true)];
    case 6:
      return ["mend the request as the error says", rest(end, safeToRerun, true)];
    case 7:
      return ["wait until the service answers again", rest(end, safeToRerun, false)];
    case 129:
    case 130:
    case 143:
      return [rest(end, safeToRerun, false)];
    default:
      return end.failure?.hint === undefined ? [] : [end.failure.hint];
  }
}

function rest({ createsSent, counts }: RunEnd, safeToRerun: boolean, isMended: boolean): string {
  if (createsSent) return `${PUSH_THE_REST}; ${NOT_AGAIN}`;
  if (counts.accepted > 0 && (safeToRerun || isMended)) {
    return "run the same command again; what it already sent were updates, which may be sent twice";
  }
  return "run the same command again";
}

function warning({ createsSent }: RunEnd): string[] {
  return createsSent ? [NOT_AGAIN] : [];
}

function sentNothing({ counts }: RunEnd): boolean {
  return counts.accepted + counts.refused + counts.failed + counts.inDoubt === 0;
}
