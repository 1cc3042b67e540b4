import type { KeptEnd, ShownRun } from "./book-entries.ts";
import type { NumberRange } from "./number-ranges.ts";
import type { InDoubtAnswer } from "./read-journal.ts";

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

const WAS_DECIDED: Readonly<Record<InDoubtAnswer, string>> = {
  applied: "they are there",
  resend: "to be sent",
  absent: "they are not there, and are not sent",
};

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
    : `the doubt ${doubt} of the run ${run} was decided before (${WAS_DECIDED[answer]}): this line decides nothing; ${present}`;
}
