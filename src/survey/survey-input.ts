import { FieldSurvey } from "../fields/survey/field-survey.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import { createHeaderTest } from "../fields/columns/known-header.ts";
import type { FieldPlan } from "../fields/record/field-plan.ts";
import type { RunEvent, SurveyReport } from "../model/event.ts";
import { inspectSource, type Inspection } from "../read/inspect-source.ts";
import type { Source } from "../read/source/open-source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import type { PreparingAhead } from "../prepare/thread/prepare-ahead.ts";
import type { RepeatedKeys } from "./repeated-keys.ts";
import { throwIfInterrupted } from "../run/interruption.ts";

/** Progress is told every so many rows. */
const ROWS_BETWEEN_REPORTS = 20_000;

/** One input after its first pass: how it is read, how its cells become records, and what was found. */
export interface SurveyedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
  readonly report: SurveyReport;
  /** Knows the rows that are left out because a later row has their key. */
  readonly repeated?: RepeatedKeys;
  /** Makes its records already. */
  readonly ahead?: PreparingAhead | undefined;
}

/** What goes along with a survey. */
interface SurveyCompanions {
  readonly repeated?: RepeatedKeys | undefined;
  readonly ahead?: PreparingAhead | undefined;
}

/**
 * Reads one input whole and sends nothing: settles encoding, dialect, columns and formats, and finds every invalid row.
 * Throws {@link RecPushError} of kind `input` or `usage` for what concerns the whole file.
 */
export async function surveyInput(
  source: Source,
  read: ReadOptions,
  fields: FieldOptions,
  drain: AbortSignal,
  emit: (event: RunEvent) => void,
  { repeated, ahead }: SurveyCompanions = {},
): Promise<SurveyedInput> {
  const interruptible = stopReadingOn(drain, source);
  const inspection = await inspectSource(interruptible, { ...read, isKnownHeader: createHeaderTest(fields) });
  const survey = new FieldSurvey(inspection.reading, fields, repeated?.add.bind(repeated));
  let rows = 0;
  let reported = 0;
  for await (const chunk of readRows(interruptible, inspection, read)) {
    survey.addChunk(chunk);
    await repeated?.settle();
    rows += chunk.rows.length;
    await ahead?.look(rows, survey, { source, inspection, read });
    if (rows - reported >= ROWS_BETWEEN_REPORTS) {
      reported = rows;
      emit({ kind: "surveying", file: source.name, rows });
    }
  }
  const { plan, ...found } = survey.finish();
  const { reading } = inspection;
  return {
    source,
    inspection,
    plan,
    ahead,
    report: {
      reading,
      ...found,
      notices: [...reading.notices, ...found.notices],
      pins: [...reading.pins, ...found.pins],
    },
  };
}

/** The same source, whose reading throws once the signal is set. */
function stopReadingOn(drain: AbortSignal, source: Source): Source {
  return {
    ...source,
    async *open() {
      for await (const bytes of source.open()) {
        throwIfInterrupted(drain);
        yield bytes;
      }
    },
  };
}
