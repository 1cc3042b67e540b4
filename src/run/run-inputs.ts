import type { Readable } from "node:stream";
import type { RunEvent } from "../model/event.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunEnd } from "../model/run-end.ts";
import { interruption } from "./interruption.ts";
import { openInputs, type InputPlaces } from "../survey/open-inputs.ts";
import { stopOnInference } from "../survey/stop-on-inference.ts";
import {
  type InvalidLimit,
  stopOnInvalidRows,
  surveyInputs,
  type SurveyRequest,
} from "../survey/survey-inputs.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { Tally } from "./tally.ts";

/** The inputs of a command, and how they are read. */
export interface RunRequest extends SurveyRequest, InputPlaces {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  readonly onInvalid: "stop" | "skip";
  /** Whatever the options leave to be inferred stops the run. */
  readonly isPinned: boolean;
  /** With `skip`: more invalid rows than this stop the run. */
  readonly maxInvalid?: InvalidLimit | undefined;
}

/** What a run hears from outside, and where it tells what happens. */
export interface RunControl {
  readonly stdin: Readable;
  /** No new batch, no retry. */
  readonly drain: AbortSignal;
  /** Requests in flight are cut. */
  readonly abort: AbortSignal;
  readonly emit: (event: RunEvent) => void;
}

/** What is done with the inputs once all of them are surveyed; gives what stopped it. */
export type SecondPass = (
  inputs: readonly SurveyedInput[],
  tally: Tally,
  /** Private, for what does not fit into memory; goes with the run. */
  spoolDirectory: string,
) => Promise<RecPushError | undefined>;

/**
 * Opens and surveys all inputs, then hands them to the second pass. Foreseeable failures are in the result; what is
 * thrown is a fault of rec-push.
 */
export async function runInputs(
  request: RunRequest,
  control: RunControl,
  secondPass: SecondPass,
): Promise<RunEnd> {
  const tally = new Tally();
  let surveyed: readonly SurveyedInput[] = [];
  let failure: RecPushError | undefined;
  try {
    // Whoever types at standard input, or the program behind the pipe, may never end it.
    control.drain.addEventListener("abort", () => control.stdin.destroy(), { once: true });
    const inputs = await openInputs(request.files, control.stdin, request);
    try {
      surveyed = await surveyInputs(inputs, request, tally, control.drain, control.emit);
      if (request.isPinned) stopOnInference(surveyed.map(({ report }) => report));
      stopOnInvalidRows(surveyed, request.onInvalid, request.maxInvalid, control.emit);
      failure = await secondPass(surveyed, tally, inputs.spoolDirectory);
    } finally {
      await inputs.close();
    }
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    // What a signal interrupts may fail in its own words.
    failure = control.drain.aborted ? interruption() : error;
  }
  return tally.end(
    [...new Set(surveyed.flatMap(({ report }) => report.pins.map((pin) => pin.option)))],
    failure,
  );
}
