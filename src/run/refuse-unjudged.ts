import { RecPushError } from "../model/failure.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** The error for an input whose rows are not counted, if it is not said what the files of the table hold. */
export function needsExports({ source }: SurveyedInput): RecPushError {
  return new RecPushError(
    "usage",
    "missing-exports",
    `${source.name}: records were created in this table before, and --no-survey does not count which of them the file holds`,
    {
      hint: [
        "say what the files of this table hold, here or in its config:",
        "  --exports full --identify-by FIELDS   each file holds the earlier rows again (--identify-by record: the whole record)",
        "  --exports delta   each file holds new rows only",
      ].join("\n"),
    },
  );
}
