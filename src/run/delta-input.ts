import type { StoredRun } from "../journal/run-store.ts";
import type { DeltaInput } from "../ledger/exports-rule.ts";
import type { SurveyReport } from "../model/event.ts";
import { isRowsFile } from "../survey/is-rows-file.ts";

/** What decides which earlier creates count for an input; `stored`: the run that it continues. */
export function deltaInput(report: SurveyReport, stored?: StoredRun): DeltaInput {
  return {
    content: report.reading.fingerprint,
    isRowsFile: isRowsFile(report),
    since: stored?.facts.startedAt,
  };
}
