import type { RowProblem } from "../model/row.ts";
import { showText } from "../model/visible-text.ts";
import type { RowOutcome } from "./outcome-log.ts";

/** Longer ones say nothing more. */
const MAX_REASON = 1_000;

/** The three columns of a rejects file. */
export interface Rejection {
  readonly line: number;
  /** Fields or headers at fault; empty if it is the row. */
  readonly field: string;
  readonly reason: string;
}

/** `the service refused it (422): unknown state` */
export function describeRefusal({ status, msg }: Pick<RowOutcome, "status" | "msg">): string {
  return `the service refused it (${status ?? "no answer"}): ${msg}`;
}

/** Why a row is in the rejects that the service refused. */
export function refusalOf(outcome: Pick<RowOutcome, "status" | "msg">): Omit<Rejection, "line"> {
  return { field: "", reason: showText(describeRefusal(outcome), MAX_REASON) };
}

/** A row that was sent, and of which nobody knows what became. */
export interface RowDoubt {
  readonly batch: number;
  /** `undefined` if the process ended before it knew. */
  readonly msg: string | undefined;
}

/** Why a row is in the file of those in doubt. */
export function describeDoubt({ batch, msg }: RowDoubt): Omit<Rejection, "line"> {
  const reason = msg ?? "rec-push was stopped before the answer came";
  return { field: String(batch), reason: showText(`sent, perhaps applied: ${reason}`, MAX_REASON) };
}

/** Why a row with problems is in the rejects. */
export function describeProblems(problems: readonly RowProblem[]): Omit<Rejection, "line"> {
  const fields = problems.map(({ field, header, column }) => field ?? header ?? column?.toString() ?? "");
  const isOne = problems.length === 1;
  const reasons = problems.map(({ reason, hint }, at) => {
    const lead = isOne || fields[at] === "" ? "" : `${fields[at]}: `;
    return `${lead}${reason}${hint === undefined ? "" : ` (${hint})`}`;
  });
  return {
    field: showText([...new Set(fields)].filter((field) => field !== "").join(", "), MAX_REASON),
    reason: showText(reasons.join("; "), MAX_REASON),
  };
}
