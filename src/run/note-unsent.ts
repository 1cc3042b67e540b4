import type { EarlierPush } from "../ledger/decide-start.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { Pushing } from "./pushing.ts";

/** Records the rows of an input of which nothing was sent, if results are wanted; `earlier`: it was pushed before. */
export async function noteUnsent(
  input: SurveyedInput,
  at: number,
  { books: { rows }, request: { read }, control: { abort } }: Pushing,
  earlier?: Pick<EarlierPush, "hasRejects">,
): Promise<void> {
  if (rows === undefined) return;
  const prepared = prepareRecords(input, { read });
  for await (const chunk of selectRecords(prepared, selectionOf(input))) {
    if (abort.aborted) return;
    await rows.add(at, chunk, earlier);
  }
}
