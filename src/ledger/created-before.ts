import { isRejectColumn, REJECT_COLUMNS } from "../model/reject-columns.ts";
import type { PlanTexts } from "../journal/record-plan.ts";
import type { RunIdentity } from "../journal/run-facts.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { describeCreated, fieldsOf, readCreated, type CreatedPush } from "./created-index.ts";
import { findOpenRuns } from "../journal/find-runs.ts";
import type { StateDirectory } from "../state/state-directory.ts";

/** More pushes are counted, not named. */
const MOST_NAMED = 3;

/**
 * The warning for an input that creates records in a table where pushes of other contents with the same columns have
 * created some: records in both would be there twice. `undefined` if there is nothing to warn of, as for a rejects
 * file.
 */
export async function warnOfOtherCreates(
  state: StateDirectory,
  identity: RunIdentity,
  plan: PlanTexts,
  { source, report }: SurveyedInput,
): Promise<string | undefined> {
  const { counts } = report;
  if (counts?.creates === 0) return undefined;
  const headers = report.reading.columns.filter(isRejectColumn);
  if (headers.length === REJECT_COLUMNS.length) return undefined;
  const columns = fieldsOf(plan).join(" ");
  const others = (await findCreated(state, identity.url)).filter(
    (push) =>
      push.content !== identity.content &&
      push.runKey === identity.runKey &&
      push.queries === identity.queries &&
      push.columns.join(" ") === columns,
  );
  if (others.length === 0) return undefined;
  const creates = counts === undefined ? "its records without key" : `${counts.creates} records without key`;
  return `${source.name}: ${creates} are created; the table already has creates of other files with the same columns: ${describePushes(others)}. Records that are in both are created twice`;
}

/** Those of runs that are open too: their process may have ended without a word. */
async function findCreated(state: StateDirectory, url: string): Promise<readonly CreatedPush[]> {
  const noted = await readCreated(state, url);
  const known = new Set(noted.map(({ run }) => run));
  const open = (await findOpenRuns(state, url)).flatMap(({ run, facts, account }) =>
    known.has(run) ? [] : [describeCreated(facts, account) ?? []].flat(),
  );
  return [...noted, ...open];
}

function describePushes(pushes: readonly CreatedPush[]): string {
  const named = pushes
    .slice(-MOST_NAMED)
    .reverse()
    .map(({ file, run, startedAt, creates }) => {
      return `${file} on ${startedAt.slice(0, 10)} (run ${run}, ${creates} ${creates === 1 ? "create" : "creates"})`;
    });
  const more = pushes.slice(0, -MOST_NAMED);
  const rest = more.reduce((sum, { creates }) => sum + creates, 0);
  return [...named, ...(more.length === 0 ? [] : [`${more.length} earlier ones (${rest} creates)`])].join(
    ", ",
  );
}
