import { fieldsOf } from "../ledger/created-index.ts";
import { stopToAsk } from "../ledger/ledger-questions.ts";
import type { LedgerSource, UnjudgedRun } from "../ledger/ledger-sources.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunKeeping } from "./start-run.ts";

/**
 * Throws an input error if earlier versions created records with the same columns, and the user has not said since what
 * they were.
 */
export function refuseUnjudged(
  input: SurveyedInput,
  unjudged: readonly UnjudgedRun[],
  sources: readonly LedgerSource[],
  request: PushRequest,
  { facts }: RunKeeping,
): void {
  const columns = fieldsOf(describeRecordPlan(input, request.optionPlan).texts).join(" ");
  const addedAt = sources.findLast(({ kind }) => kind === "added")?.startedAt ?? "";
  const runs = unjudged.filter(
    (run) => run.startedAt > addedAt && (run.columns === undefined || run.columns.join(" ") === columns),
  );
  if (runs.length === 0) return;
  const creates = input.report.counts.creates;
  throw stopToAsk(
    { kind: "unjudged", runs },
    {
      file: input.source.name,
      table: facts.table,
      counts: { creates, equal: 0, changed: 0, newlyChanged: 0, fresh: creates, repeated: 0 },
      hasOtherRows: false,
      hasOtherFiles: request.files.length > 1,
      openRuns: [],
      sources: [],
      earlier: [],
      deltaCreates: creates,
      identities: [],
      words: request.ledgerWords ?? "",
      unmatched: undefined,
    },
  );
}
