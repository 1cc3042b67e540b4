import type { SurveyedInput } from "../survey/survey-input.ts";
import type { LedgerAnswer } from "./ask-ledger.ts";
import { createsToShow } from "./creates-to-show.ts";
import type { Pushing } from "./pushing.ts";

/**
 * Writes the creates that were created before with other values, if the user was not told of them; returns the path.
 */
export async function writeChanged(
  input: SurveyedInput,
  at: number,
  { books, request }: Pick<Pushing, "books" | "request">,
  { counts, isNewlyChanged, identity }: LedgerAnswer,
): Promise<string | undefined> {
  if (counts.newlyChanged === 0) return undefined;
  const why = {
    field: identity.join(", "),
    reason: `a record with this ${identity.join(" and ")} was created before with other values`,
  };
  return books.rejects.writeChanged(at, () => createsToShow(input, request.read, isNewlyChanged, why));
}
