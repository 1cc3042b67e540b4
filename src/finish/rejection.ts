import type { RowProblem } from "../model/row.ts";
import { showText } from "../model/visible-text.ts";
import type { ReviewedRow } from "./review-rows.ts";
import type { Told } from "./outcome-log.ts";

/** Longer ones say nothing more. */
const MAX_REASON = 1_000;

/** What a rejects file says of a row: the cells of its own three columns. */
export interface Rejection {
  readonly line: number;
  /** Fields or headers at fault; empty where it is the row. */
  readonly field: string;
  readonly reason: string;
}

/** Why a row is to be mended: it was rejected, or the service refused it; `undefined` where neither. */
export function findRejection(row: ReviewedRow, told: Told | undefined): Rejection | undefined {
  if (row.problems !== undefined) return rejectionOf(row.line, row.problems);
  if (told?.outcome !== "refused") return undefined;
  const reason = showText(describeRefusal(told), MAX_REASON);
  return { line: row.line, field: "", reason };
}

/** `the service refused it (422): unknown state` */
export function describeRefusal({ status, msg }: Pick<Told, "status" | "msg">): string {
  return `the service refused it (${status ?? "no answer"}): ${msg}`;
}

/** What a rejects file says of a row with problems. */
export function rejectionOf(line: number, problems: readonly RowProblem[]): Rejection {
  const fields = problems.map(({ field, header, column }) => field ?? header ?? column?.toString() ?? "");
  const isOne = problems.length === 1;
  const reasons = problems.map(({ reason, hint }, at) => {
    const lead = isOne || fields[at] === "" ? "" : `${fields[at]}: `;
    return `${lead}${reason}${hint === undefined ? "" : ` (${hint})`}`;
  });
  return {
    line,
    field: showText([...new Set(fields)].filter((field) => field !== "").join(", "), MAX_REASON),
    reason: showText(reasons.join("; "), MAX_REASON),
  };
}
