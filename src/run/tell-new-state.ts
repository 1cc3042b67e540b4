import { readdir } from "node:fs/promises";
import { showCount } from "../model/quantities.ts";
import { quoteWord } from "../model/shell-word.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { PushRequest } from "./push-request.ts";

/**
 * The notice before the first creates that a state directory records; `undefined` if it has recorded any before. It
 * reveals a lost disk, and machines that lose their state between two jobs. `words`: see {@link PushRequest.ledgerWords}.
 */
export async function newStateText(
  state: StateDirectory,
  inputs: readonly SurveyedInput[],
  { table, words = "" }: { readonly table: string; readonly words: PushRequest["ledgerWords"] },
): Promise<string | undefined> {
  const creates = inputs.reduce((sum, { report }) => sum + report.counts.creates, 0);
  if (creates === 0 || !(await knowsNothing(state))) return undefined;
  return `no earlier push is known in ${state.root}: ${showCount(creates, "create")} cannot be compared with earlier ones (rec-push ledger add FILE --table ${quoteWord(table)}${words} counts the creates of an earlier export as made)`;
}

async function knowsNothing({ runs, created, ledger }: StateDirectory): Promise<boolean> {
  for (const directory of [runs, created, ledger]) if ((await readdir(directory)).length > 0) return false;
  return true;
}
