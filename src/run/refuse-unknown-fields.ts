import { identityFields, type ExportsOptions } from "../ledger/exports-rule.ts";
import { RecPushError } from "../model/failure.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Throws a usage error if the identity names a field that no column of an input is sent as. */
export function refuseUnknownFields({ source, plan }: SurveyedInput, exports: ExportsOptions): void {
  const known = plan.fields.map(({ field }) => field);
  const unknown = identityFields(exports)?.find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new RecPushError(
    "usage",
    "identity-unknown",
    `${source.name}: --identify-by names ${unknown}, and no column is sent as that field`,
    { hint: `name some of ${known.join(", ")}; or --identify-by record` },
  );
}
