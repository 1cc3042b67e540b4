import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { quoteText } from "../model/visible-text.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords, type Selection } from "../prepare/select.ts";
import { findLaterRuns } from "../journal/find-runs.ts";
import type { StoredRun } from "../journal/run-store.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { readTouched } from "../journal/touched-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/**
 * Throws a usage error if a resumed run would still send a key that a later run on the table has sent since: the older
 * value would be the one that stays.
 */
export async function refuseStale(
  state: StateDirectory,
  stored: StoredRun,
  input: SurveyedInput,
  read: ReadOptions,
): Promise<void> {
  const later = await findLaterRuns(state, stored);
  const isTouched = await readTouched(
    later.map((run) => join(state.runs, run)),
    stored.facts.identity.url,
  );
  if (isTouched === undefined) return;
  const isSettled: Selection["isSettled"] = (kind, ordinal) =>
    stored.account.standingOf(kind, ordinal) !== undefined;
  const prepared = prepareRecords(input, { read, judgesTotals: false });
  for await (const { records } of selectRecords(prepared, { ...selectionOf(input), isSettled })) {
    for (const { key, line } of records) {
      if (key !== undefined && isTouched(key)) throw stale(stored, input.source.name, line, key);
    }
  }
}

function stale({ run }: StoredRun, file: string, line: number, key: string): RecPushError {
  return new RecPushError(
    "usage",
    "stale-run",
    `${file}:${line}: a later run on this table has sent the key ${quoteText(key)} since; the run ${run} would bring older values back`,
    {
      hint: `give the run up: rec-push runs --abandon ${run}\nor, if its values are the right ones, go on with --stale-ok`,
      place: { file, line },
    },
  );
}
