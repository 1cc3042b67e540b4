import type { FieldOptions } from "../fields/field-options.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { Source } from "../read/source/source.ts";
import type { OpenInputs } from "./open-inputs.ts";
import { RepeatedKeys } from "./repeated-keys.ts";
import { settleRepeats, type OnRepeat } from "./settle-repeats.ts";
import { planInput } from "./plan-input.ts";
import { surveyInput, type SurveyedInput, type SurveyListener } from "./survey-input.ts";

/** The options of the first pass. */
export interface SurveyRequest {
  readonly read: ReadOptions;
  readonly fields: FieldOptions;
  /** True with `--no-survey`: the formats are pinned and the rows are judged as they are sent. */
  readonly isStreamed?: boolean;
  /** How rows with the same key are treated; `all` by default. */
  readonly onRepeat?: OnRepeat;
}

/**
 * The first pass over one input after the other: nothing is sent before every one of them is surveyed. Throws if a
 * file as a whole cannot be read with certainty; invalid rows are judged by `stopOnInvalidRows`.
 */
export async function* surveyInputs(
  { sources, spoolDirectory, onClose }: Omit<OpenInputs, "close">,
  request: SurveyRequest,
  drain: AbortSignal,
  listener: Omit<SurveyListener, "onKey" | "onRestart">,
): AsyncGenerator<SurveyedInput> {
  for (const source of sources) {
    if (request.isStreamed === true) {
      yield await planInput(source, request.read, request.fields, listener.isBegunAsNamed);
    } else if ((request.onRepeat ?? "all") === "all") {
      yield await surveyInput(source, request.read, request.fields, drain, listener);
    } else {
      const openRepeated = (): RepeatedKeys => {
        const repeated = new RepeatedKeys(spoolDirectory);
        onClose(() => repeated.remove());
        return repeated;
      };
      yield await surveyRepeats(source, request, drain, listener, openRepeated);
    }
  }
}

async function surveyRepeats(
  source: Source,
  { read, fields, onRepeat }: SurveyRequest,
  drain: AbortSignal,
  { emit, onProgress, isBegunAsNamed }: SurveyListener,
  openRepeated: () => RepeatedKeys,
): Promise<SurveyedInput> {
  let repeated = openRepeated();
  const input = await surveyInput(source, read, fields, drain, {
    emit,
    isBegunAsNamed,
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
