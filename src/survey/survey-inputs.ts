import type { RunEvent } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { OpenInputs } from "./open-inputs.ts";
import { paysThread } from "../prepare/thread/pays-thread.ts";
import type { PreparingAhead } from "../prepare/thread/prepare-ahead.ts";
import { RepeatedKeys } from "./repeated-keys.ts";
import { settleRepeats } from "./settle-repeats.ts";
import { planInput } from "./plan-input.ts";
import { surveyInput, type SurveyedInput } from "./survey-input.ts";
import type { Tally } from "../run/tally.ts";

/** All are sent in order, only the last is sent, or they stop the run. */
export type OnRepeat = "all" | "last" | "stop";

/** What the first pass needs to know. */
export interface SurveyRequest {
  readonly read: ReadOptions;
  readonly fields: FieldOptions;
  /** True with `--no-survey`: the formats are pinned and the rows are judged as they are sent. */
  readonly isStreamed?: boolean;
  /** What becomes of rows with one key; `all` unless said. */
  readonly onRepeat?: OnRepeat;
  /** Records are wanted, and may be made while the survey goes on. */
  readonly isAhead?: boolean;
}

/**
 * The first pass over all inputs: nothing is sent before every one of them is surveyed. Throws where a file as a whole
 * cannot be read with certainty; invalid rows are judged by {@link stopOnInvalidRows}.
 */
export async function surveyInputs(
  { sources, spoolDirectory, onClose }: Omit<OpenInputs, "close">,
  request: SurveyRequest,
  tally: Tally,
  drain: AbortSignal,
  emit: (event: RunEvent) => void,
): Promise<readonly SurveyedInput[]> {
  const inputs: SurveyedInput[] = [];
  for (const source of sources) {
    const repeated = (request.onRepeat ?? "all") === "all" ? undefined : new RepeatedKeys(spoolDirectory);
    if (repeated !== undefined) onClose(() => repeated.remove());
    // With several inputs the first would wait for the survey of the last.
    const isAhead = request.isAhead === true && sources.length === 1 && repeated === undefined;
    const ahead = isAhead && paysThread(source) ? await prepareAhead(spoolDirectory) : undefined;
    if (ahead !== undefined) onClose(() => ahead.close());
    const found = request.isStreamed
      ? { ...(await planInput(source, request.read, request.fields)), ahead }
      : await surveyInput(source, request.read, request.fields, drain, emit, { repeated, ahead });
    const input = repeated === undefined ? found : await settleRepeats(found, repeated, request.onRepeat);
    const { report } = input;
    tally.addRead(report.rows);
    tally.move("rejected", report.invalid);
    tally.move("skipped", report.skipped + (report.superseded ?? 0));
    emit({ kind: "survey", survey: report });
    inputs.push(input);
  }
  return inputs;
}

async function prepareAhead(directory: string): Promise<PreparingAhead> {
  const { PreparingAhead } = await import("../prepare/thread/prepare-ahead.ts");
  return new PreparingAhead(directory);
}

/** How many rows may be invalid with `skip`: so many, or this share of the rows read. */
export type InvalidLimit = { readonly rows: number } | { readonly percent: number };

/**
 * Throws where invalid rows stop the run, after telling the first of them: any with `stop`, with `skip` all rows or
 * more than `limit`. The others are told as they are left out, in the second pass.
 */
export function stopOnInvalidRows(
  inputs: readonly SurveyedInput[],
  onInvalid: "stop" | "skip",
  limit: InvalidLimit | undefined,
  emit: (event: RunEvent) => void,
): void {
  const invalid = inputs.reduce((sum, { report }) => sum + report.invalid, 0);
  if (invalid === 0) return;
  const rows = inputs.reduce((sum, { report }) => sum + report.rows, 0);
  const isTooMany = onInvalid === "skip" && limit !== undefined && invalid > allowedRows(limit, rows);
  if (onInvalid === "skip" && invalid < rows && !isTooMany) return;
  for (const { source, report } of inputs) {
    for (const problem of report.problems) emit({ kind: "reject", file: source.name, problem });
  }
  if (onInvalid === "stop") {
    throw new RecPushError(
      "input",
      "invalid-rows",
      `${invalid} of ${rows} rows are invalid; nothing was sent`,
      {
        hint: "mend them in the file, or send the others with --on-invalid skip",
      },
    );
  }
  if (isTooMany) {
    const allowed = "rows" in limit ? `${limit.rows}` : `${limit.percent}%`;
    throw new RecPushError(
      "input",
      "too-many-invalid",
      `${invalid} of ${rows} rows are invalid, more than --max-invalid ${allowed}; nothing was sent`,
      { hint: "mend them in the file, or raise --max-invalid if so many are expected" },
    );
  }
  throw new RecPushError("refused", "all-rows-invalid", "every row is invalid; nothing was sent");
}

function allowedRows(limit: InvalidLimit, rows: number): number {
  return "rows" in limit ? limit.rows : (rows * limit.percent) / 100;
}
