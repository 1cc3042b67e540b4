import type { FieldOptions } from "../fields/field-options.ts";
import type { PlanParts } from "../fields/record/field-plan.ts";
import { RecPushError } from "../model/failure.ts";
import { columnTests } from "./column-tests.ts";
import { planWithoutSurvey } from "../fields/record/plan-without-survey.ts";
import { FirstPass, type Inspection, type InspectionSoFar } from "../read/inspect-source.ts";
import type { Source } from "../read/source/source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { SurveyedInput, SurveyListener } from "./survey-input.ts";

/**
 * Replaces the survey with `--no-survey`: one pass over the bytes for encoding and proof, the dialect from the first
 * megabyte, the formats from the options. Throws a usage error if an option needed for that is missing.
 */
export async function planInput(
  source: Source,
  read: ReadOptions,
  fields: FieldOptions,
  { onProgress }: Pick<SurveyListener, "onProgress">,
): Promise<SurveyedInput> {
  const first = await FirstPass.begin(source, { ...read, ...columnTests(fields) });
  const inspectAll = async (): Promise<Inspection> => {
    try {
      const early = await first.early();
      if (early !== undefined)
        await onProgress?.({ source, inspection: early, rows: 1, partsSoFar: () => partsOf(early, fields) });
      return (await first.finish()).inspection;
    } finally {
      await first.close();
    }
  };
  const inspection = await inspectAll();
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

/** The parts of the plan if the beginning of the source is like the rest; `undefined` if something is missing. */
function partsOf({ reading }: InspectionSoFar, fields: FieldOptions): PlanParts | undefined {
  try {
    return planWithoutSurvey(reading, fields).parts;
  } catch (error) {
    // What is missing is told once all of the source has been read.
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}
