import type { FieldOptions } from "../fields/field-options.ts";
import { columnTests } from "./column-tests.ts";
import { planWithoutSurvey } from "../fields/record/plan-without-survey.ts";
import { inspectSource } from "../read/inspect-source.ts";
import type { Source } from "../read/source/source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { continueAsNamed, type SurveyedInput, type SurveyListener } from "./survey-input.ts";

/**
 * Replaces the survey with `--no-survey`: one pass over the bytes for encoding and proof, the dialect from the first
 * megabyte, the formats from the options. Throws a usage error if an option needed for that is missing.
 */
export async function planInput(
  source: Source,
  read: ReadOptions,
  given: FieldOptions,
  isBegunAsNamed: SurveyListener["isBegunAsNamed"],
): Promise<SurveyedInput> {
  const inspection = await inspectSource(source, { ...read, ...columnTests(given) });
  const fields = await continueAsNamed(given, inspection, isBegunAsNamed);
  const { reading } = inspection;
  return {
    source,
    inspection,
    plan: planWithoutSurvey(reading, fields),
    report: {
      reading,
      counts: undefined,
      problems: [],
      groups: [],
      columns: [],
      notices: reading.notices,
      pins: reading.pins,
    },
  };
}
