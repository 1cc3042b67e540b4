import { columnTests } from "./column-tests.ts";
import type { ColumnFigures } from "../model/column-figures.ts";
import type { OnKey } from "../fields/survey/field-settlement.ts";
import { FieldSurvey } from "../fields/survey/field-survey.ts";
import type { FoundOdd } from "../fields/totals/odd-rows.ts";
import { boundMatching } from "../fields/record/bound-matching.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import type { FieldPlan, PlanParts } from "../fields/record/field-plan.ts";
import type { RunEvent, SurveyReport } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import { hearSignals } from "../model/interruption.ts";
import type { RowChunk } from "../model/row.ts";
import { FirstPass, type Inspection, type InspectionSoFar } from "../read/inspect-source.ts";
import type { Source } from "../read/source/source.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows, rowsOf } from "../read/read-rows.ts";
import type { InputPart } from "./input-part.ts";
import type { RepeatedKeys } from "./repeated-keys.ts";
import { LastCell } from "./last-cell.ts";
import { watchReading } from "./watch-reading.ts";

/** Number of rows between two progress reports. */
const ROWS_BETWEEN_REPORTS = 20_000;
/** So many cells are surveyed before a signal is heard. */
const CELLS_AT_ONCE = 16_384;

/** One input after its first pass: how it is read, how its cells become records, and what was found. */
export interface SurveyedInput {
  readonly source: Source;
  readonly inspection: Inspection;
  readonly plan: FieldPlan;
  readonly report: SurveyReport;
  /** Figures of the used columns; `undefined` for a shard of a plan. */
  readonly figures?: readonly ColumnFigures[];
  /** Knows which rows are left out because a later row has their key. */
  readonly repeated?: RepeatedKeys;
  /** The part of it that a shard sends; its counts are those of the part. */
  readonly part?: InputPart;
}

/** An input as far as its survey has come. */
export interface SurveyProgress {
  readonly source: Source;
  readonly inspection: InspectionSoFar;
  readonly rows: number;
  /** The parts of the plan as if the rows ended here; `undefined` if something is undecided. */
  readonly partsSoFar: () => PlanParts | undefined;
}

/** Callbacks of a survey in progress. */
export interface SurveyListener {
  readonly emit: (event: RunEvent) => void;
  /** Awaited between the chunks. */
  readonly onProgress?: ((progress: SurveyProgress) => Promise<void>) | undefined;
  readonly onKey?: OnKey | undefined;
  /**
   * Called before all rows are surveyed a second time because their values settled types: the keys are passed again.
   */
  readonly onRestart?: (() => Promise<void>) | undefined;
}

/** The rows of an input, surveyed. */
interface SurveyedRows {
  readonly survey: FieldSurvey;
  readonly remarks: readonly string[];
  readonly last: LastCell;
}

/**
 * Reads one input whole and sends nothing: settles encoding, dialect, columns and formats, and finds every invalid
 * row. Throws {@link RecPushError} of kind `input` or `usage` for problems that concern the whole file.
 */
export async function surveyInput(
  source: Source,
  read: ReadOptions,
  fields: FieldOptions,
  drain: AbortSignal,
  { emit, onProgress, onKey, onRestart }: SurveyListener,
): Promise<SurveyedInput> {
  const watched = watchReading(source, drain, emit);
  let isRestart = false;
  const surveyRows = async (
    inspection: InspectionSoFar,
    chunks: AsyncIterable<RowChunk>,
    options: FieldOptions,
    odd?: FoundOdd,
  ): Promise<SurveyedRows> => {
    if (isRestart) await onRestart?.();
    isRestart = true;
    const survey = new FieldSurvey(inspection.reading, options, onKey, undefined, odd);
    const hasPatterns = [...(options.fields?.values() ?? [])].some(({ pattern }) => pattern !== undefined);
    let rows = 0;
    let reported = 0;
    let remarks: readonly string[] = [];
    const last = new LastCell(source.name);
    const mayBeCut = inspection.reading.format === "csv" && read.whole !== true;
    for await (const chunk of chunks) {
      const step = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, chunk.columns.length)));
      let from = 0;
      do {
        const end = Math.min(from + step, chunk.rows.length);
        const add = (): number => survey.addChunk(chunk, from, end);
        from = hasPatterns ? boundMatching(add) : add();
        await hearSignals(drain);
      } while (from < chunk.rows.length);
      if (mayBeCut) last.add(chunk);
      rows += chunk.rows.length;
      remarks = chunk.remarks ?? remarks;
      chunk.rows.release();
      await onProgress?.({ source, inspection, rows, partsSoFar: () => survey.partsSoFar });
      if (rows - reported >= ROWS_BETWEEN_REPORTS) {
        reported = rows;
        watched.tell(rows);
      }
    }
    return { survey, remarks, last };
  };

  const first = await FirstPass.begin(watched.source, { ...read, ...columnTests(fields) });
  /** The survey of the content that the first pass reads; `undefined` if that comes to nothing. */
  const surveyEarly = async (): Promise<SurveyedRows | undefined> => {
    const early = await first.early();
    if (early === undefined) return undefined;
    watched.beginSurvey();
    try {
      return await surveyRows(early, rowsOf(first.content(), early, read), fields);
    } catch (error) {
      // Only once all is read it is known whether the file was read as what it is.
      if (error instanceof RecPushError && !drain.aborted) return undefined;
      throw error;
    }
  };
  let surveyed: SurveyedRows | undefined;
  const inspectAll = async (): Promise<Inspection> => {
    try {
      surveyed = await surveyEarly();
      await hearSignals(drain);
      const { inspection, isAsEarly } = await first.finish();
      if (!isAsEarly) surveyed = undefined;
      return inspection;
    } finally {
      await first.close();
    }
  };
  const inspection = await inspectAll();
  watched.beginSurvey(inspection.proof.totalBytes);
  const surveyAgain = (options: FieldOptions, odd?: FoundOdd): Promise<SurveyedRows> => {
    // What an earlier survey knows of each column must not lie in memory beside the next one.
    surveyed = undefined;
    return surveyRows(inspection, readRows(watched.source, inspection, read), options, odd);
  };
  surveyed ??= await surveyAgain(fields);
  const odd = surveyed.survey.oddRows();
  if (odd.size > 0) surveyed = await surveyAgain(fields, odd);
  const otherTypes = surveyed.survey.otherTypes();
  await hearSignals(drain);
  if (otherTypes.size > 0) surveyed = await surveyAgain({ ...fields, otherTypes }, odd);
  const { plan, figures, ...found } = surveyed.survey.finish();
  await hearSignals(drain);
  const cut = surveyed.last.fault(plan.suspects);
  if (cut !== undefined) throw cut;
  const { reading } = inspection;
  return {
    source,
    inspection,
    plan,
    figures,
    report: {
      reading,
      ...found,
      notices: [
        ...reading.notices,
        ...surveyed.remarks.map((text) => ({ text, isAlwaysShown: true as const })),
        ...found.notices,
      ],
      pins: [...reading.pins, ...found.pins],
    },
  };
}
