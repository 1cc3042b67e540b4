import { KEY_FIELD } from "../fields/columns/known-fields.ts";
import type { CreateCounts } from "../ledger/exports-rule.ts";
import type { LedgerSource } from "../ledger/ledger-sources.ts";
import { RecPushError } from "../model/failure.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/**
 * Throws an input error if an input has no column of keys and holds earlier creates again, and the last push of creates
 * sent updates too: the rows of these updates would be created. `--only creates` says that it needs none.
 */
export function refuseLostKeys(
  { source, plan }: SurveyedInput,
  { creates, fresh }: CreateCounts,
  sources: readonly LedgerSource[],
): void {
  const { options } = plan.parts;
  if (fresh === 0 || fresh === creates) return;
  const hasKeys = plan.fields.some(({ field }) => field === KEY_FIELD) || plan.constants.has(KEY_FIELD);
  if (hasKeys || options.only === "creates") return;
  const earlier = sources.findLast(({ kind }) => kind === "created");
  if (earlier?.hasUpdates !== true) return;
  throw new RecPushError(
    "input",
    "keys-lost",
    `${source.name}: no column goes to the key ${KEY_FIELD}, and ${earlier.file}, pushed on ${earlier.startedAt.slice(0, 10)}, had one: the records that it updated would be created a second time`,
    {
      hint: `--map COLUMN=${KEY_FIELD} names the column; --only creates, if the rows are new records`,
      place: { file: source.name },
    },
  );
}
