import type { RecPushError } from "../model/failure.ts";
import { recordJson } from "../model/record.ts";
import type { RunEnd } from "../model/run-end.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { selectionOf, selectRecords } from "../prepare/select.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { runInputs, type RunControl, type RunRequest } from "./run-inputs.ts";

/** Where `--records` writes. */
export interface RecordSink {
  /** False once nobody reads any more; nothing further is written then. */
  readonly write: (text: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A push that stops before sending. */
export interface CheckRequest extends RunRequest {
  /** Opens the destination of the records, which are written as NDJSON, once the survey has passed. */
  readonly openRecords: (() => Promise<RecordSink>) | undefined;
}

/** Surveys the inputs and writes their records if asked; nothing is sent and nothing else is kept. */
export function check(request: CheckRequest, control: RunControl): Promise<RunEnd> {
  return runInputs(request, control, async () => ({
    finish: (inputs) => writeRecords(inputs, request, control),
  }));
}

/** The second pass, as a push makes it; without a destination it still reports the rows that are left out. */
async function writeRecords(
  inputs: readonly SurveyedInput[],
  { openRecords, read }: CheckRequest,
  { drain, emit, caughtUp }: RunControl,
): Promise<RecPushError | undefined> {
  const hasInvalid = inputs.some(({ report }) => report.counts.invalid > 0);
  if (openRecords === undefined && !hasInvalid) return undefined;
  const sink = await openRecords?.();
  try {
    for (const input of inputs) {
      const file = input.source.name;
      const prepared = prepareRecords(input, { read });
      for await (const { records, rejected } of selectRecords(prepared, selectionOf(input))) {
        if (drain.aborted) return undefined;
        for (const { problems } of rejected) {
          for (const problem of problems) emit({ kind: "reject", file, problem });
        }
        await caughtUp?.();
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
