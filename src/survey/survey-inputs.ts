import type { FieldOptions } from "../fields/field-options.ts";
import { RecPushError } from "../model/failure.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { Source } from "../read/source/source.ts";
import type { OpenInputs } from "./open-inputs.ts";
import { RepeatedKeys } from "./repeated-keys.ts";
import { settleRepeats, type OnRepeat } from "./settle-repeats.ts";
import { surveyInput, type SurveyedInput, type SurveyListener } from "./survey-input.ts";

/** The options of the first pass. */
export interface SurveyRequest {
  readonly read: ReadOptions;
  readonly fields: FieldOptions;
  /** How rows with the same key are treated; `all` by default. */
  readonly onRepeat?: OnRepeat;
  /** The inputs were surveyed before, by a plan: gives what was found. */
  readonly surveyed?:
    ((source: Source, at: number, drain: AbortSignal) => Promise<SurveyedInput>) | undefined;
}

/** An input that cannot be read with certainty as a whole. */
export interface UncertainInput {
  readonly source: Source;
  readonly failure: RecPushError;
}

/**
 * The first pass over one input after the other: nothing is sent before every one of them is surveyed. If one cannot
 * be read with certainty, the questions about the others are still reported; invalid rows are judged by
 * `stopOnInvalidRows`.
 */
export async function* surveyInputs(
  { sources, spoolDirectory, onClose }: Omit<OpenInputs, "close">,
  request: SurveyRequest,
  drain: AbortSignal,
  listener: Omit<SurveyListener, "onKey" | "onRestart">,
): AsyncGenerator<SurveyedInput | UncertainInput> {
  const openRepeated = (): RepeatedKeys => {
    const repeated = new RepeatedKeys(spoolDirectory);
    onClose(() => repeated.remove());
    return repeated;
  };
  const survey = (source: Source, at: number): Promise<SurveyedInput> => {
    if (request.surveyed !== undefined) return request.surveyed(source, at, drain);
    if ((request.onRepeat ?? "all") === "all")
      return surveyInput(source, request.read, request.fields, drain, listener);
    return surveyRepeats(source, request, drain, listener, openRepeated);
  };
  for (const [at, source] of sources.entries()) {
    try {
      yield await survey(source, at);
    } catch (error) {
      const isOfFile = error instanceof RecPushError && (error.kind === "input" || error.kind === "usage");
      if (!isOfFile || drain.aborted) throw error;
      yield { source, failure: error };
    }
  }
}

async function surveyRepeats(
  source: Source,
  { read, fields, onRepeat }: SurveyRequest,
  drain: AbortSignal,
  { emit, onProgress }: SurveyListener,
  openRepeated: () => RepeatedKeys,
): Promise<SurveyedInput> {
  let repeated = openRepeated();
  const input = await surveyInput(source, read, fields, drain, {
    emit,
    onKey: (key, line, start) => repeated.add(key, line, start),
    onProgress: async (progress) => {
      await repeated.settle();
      await onProgress?.(progress);
    },
    onRestart: async () => {
      await repeated.remove();
      repeated = openRepeated();
    },
  });
  return settleRepeats(input, repeated, onRepeat);
}
