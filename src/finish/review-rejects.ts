import type { PreparedRecord } from "../model/record.ts";
import { interruption } from "../run/interruption.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { OutcomeLog, Told } from "./outcome-log.ts";
import { reviewRows, type ReviewedRow, type ReviewRequest } from "./review-rows.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { findRejection, type Rejection } from "./rejection.ts";

/** A row, what became of it, and why it is to be mended, where it is. */
export interface JudgedRow {
  readonly row: ReviewedRow;
  readonly told: Told | undefined;
  readonly rejection: Rejection | undefined;
  /** Why a record was not sent that could have been. */
  readonly leftOut: "file" | "created" | undefined;
}

/** Where a review reads from. */
export interface Review {
  readonly inputs: readonly SurveyedInput[];
  readonly request: ReviewRequest;
  readonly log: OutcomeLog;
  /** Of the inputs whose runs are kept. */
  readonly accounts: ReadonlyMap<number, RunAccount>;
  /** Inputs of which nothing is sent because they were pushed before. */
  readonly leftOut: ReadonlySet<number>;
  /** Set by whoever does not wait any longer. */
  readonly abort: AbortSignal;
}

/** Every row of one input in file order, with its outcome so far. Throws an interruption once `abort` is set. */
export async function* reviewOutcomes(
  { inputs, request, log, accounts, leftOut, abort }: Review,
  input: number,
): AsyncGenerator<readonly JudgedRow[]> {
  // Where an invalid row stopped a run without survey, it is told and mended in the file itself.
  const areRejects = request.onInvalid === "skip" && !leftOut.has(input);
  const account = accounts.get(input);
  for await (const rows of reviewRows(inputs[input]!, request)) {
    if (abort.aborted) throw interruption();
    const told = await log.find(
      input,
      rows.map(({ record }) => record),
    );
    yield rows.map((row, at) => {
      const { record, problems } = row;
      const isKept = account !== undefined && record !== undefined;
      const known = isKept ? reconcile(account, record, told[at]) : told[at];
      const mayBeReject = problems === undefined || areRejects;
      const isCreated =
        account?.facts?.createdBy !== undefined && record !== undefined && row.key === undefined;
      return {
        row,
        told: known,
        rejection: mayBeReject ? findRejection(row, known) : undefined,
        leftOut: leftOut.has(input) ? "file" : isCreated ? "created" : undefined,
      };
    });
  }
}

/** What the journal adds up to wins over the last outcome: the user may have decided, a process may have been killed. */
function reconcile(account: RunAccount, record: PreparedRecord, told: Told | undefined): Told | undefined {
  const standing = account.standingOf(record.key === undefined ? "create" : "update", record.ordinal);
  if (standing === undefined) return told?.outcome === "failed" ? told : undefined;
  if (told?.outcome === standing) return told;
  const { batch = 0, status, attempts = 1 } = told ?? {};
  const msg = standing === "accepted" ? "taken as applied" : "sent, and what became of it is not known";
  return { batch, status, attempts, outcome: standing, msg };
}
