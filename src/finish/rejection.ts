import type { RowProblem } from "../model/row.ts";
import { showText } from "../model/visible-text.ts";
import type { RowOutcome } from "./outcome-log.ts";

/** A longer reason would say nothing more. */
const MAX_REASON = 1_000;

/** Why a row has to be looked at. */
export interface Rejection {
  readonly line: number;
  /** The fields or headers at fault; empty if the row as a whole is. */
  readonly field: string;
  readonly reason: string;
}

/** `the service refused it (422): unknown state` */
export function describeRefusal({ status, msg }: Pick<RowOutcome, "status" | "msg">): string {
  return `the service refused it (${status ?? "no answer"}): ${msg}`;
}

/** The reason in the rejects file for a row that the service refused. */
export function refusalOf(outcome: Pick<RowOutcome, "status" | "msg">): Omit<Rejection, "line"> {
  return { field: "", reason: showText(describeRefusal(outcome), MAX_REASON) };
}

/** A row that was sent and whose fate is unknown. */
export interface RowDoubt {
  readonly batch: number;
  /** `undefined` if the process ended before an answer came. */
  readonly msg: string | undefined;
}

/** The reason in the file of rows in doubt. */
export function describeDoubt({ batch, msg }: RowDoubt): Omit<Rejection, "line"> {
  const reason = msg ?? "rec-push was stopped before the answer came";
  return { field: String(batch), reason: showText(`sent, perhaps applied: ${reason}`, MAX_REASON) };
}

/** The reason in the rejects file for a row with problems. */
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
