import type { RecPushError } from "../model/failure.ts";
import { recordJson } from "../model/record.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { runInputs, type RunControl, type RunRequest } from "./run-inputs.ts";

/** Where `--records` writes. */
export interface RecordSink {
  /** False once nobody reads any more; then nothing further is written. */
  readonly write: (text: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A push that stops before sending. */
export interface CheckRequest extends RunRequest {
  /** Opens the place for the records, as NDJSON, once the survey has passed. */
  readonly openRecords: (() => Promise<RecordSink>) | undefined;
}

/** Surveys the inputs and writes their records where asked; nothing is sent and nothing stays behind. */
export function check(request: CheckRequest, control: RunControl): Promise<RunEnd> {
  return runInputs(request, control, (inputs) => writeRecords(inputs, request, control));
}

/** The second pass, as a push makes it; without a destination it still tells the rows that are left out. */
async function writeRecords(
  inputs: readonly SurveyedInput[],
  request: CheckRequest,
  { drain, emit }: RunControl,
): Promise<RecPushError | undefined> {
  const isNeeded = request.openRecords !== undefined || inputs.some(({ report }) => report.invalid > 0);
  if (!isNeeded) return undefined;
  const sink = await request.openRecords?.();
  try {
    for (const input of inputs) {
      const file = input.source.name;
      const chunks = prepareRecords(input, request.read, (problem) =>
        emit({ kind: "reject", file, problem }),
      );
      for await (const records of chunks) {
        if (drain.aborted) return undefined;
        if (sink === undefined) continue;
        const isRead = await sink.write(records.map((record) => `${recordJson(record)}\n`).join(""));
        if (!isRead) return undefined;
      }
    }
  } finally {
    await sink?.close();
  }
  return undefined;
}
