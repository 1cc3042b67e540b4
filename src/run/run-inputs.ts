import type { Readable } from "node:stream";
import type { PlanTexts } from "../journal/record-plan.ts";
import type { RunEvent } from "../model/event.ts";
import type { StopSignal } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { joinFailures } from "../model/join-failures.ts";
import { interruption } from "../model/interruption.ts";
import type { RunEnd } from "../model/run-end.ts";
import type { Source } from "../read/source/source.ts";
import { openInputs, type InputPlaces } from "../survey/open-inputs.ts";
import { stopOnExpectations, type Expectations } from "../survey/stop-on-expectations.ts";
import { stopOnPositions } from "../survey/stop-on-positions.ts";
import { stopOnInference } from "../survey/stop-on-inference.ts";
import { stopOnInvalidRows, type InvalidLimit } from "../survey/stop-on-invalid-rows.ts";
import type { SurveyedInput, SurveyListener } from "../survey/survey-input.ts";
import { surveyInputs, type SurveyRequest, type UncertainInput } from "../survey/survey-inputs.ts";
import { Tally } from "./tally.ts";

/** The inputs of a command, and how they are read. */
export interface RunRequest extends SurveyRequest, InputPlaces {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  readonly onInvalid: "stop" | "skip";
  /** The run stops if anything has to be inferred. */
  readonly isPinned: boolean;
  /** With `skip`: more invalid rows than this stop the run. */
  readonly maxInvalid?: InvalidLimit | undefined;
  /** What the user expects of each file. */
  readonly expected?: Expectations | undefined;
  /** The part of the record plan that comes from options. */
  readonly optionPlan: PlanTexts;
}

/** Connects a run to its caller: standard input, the signals that stop it, and the receiver of its events. */
export interface RunControl {
  /** Called only if an input is standard input: opening it takes a while. */
  readonly stdin: () => Readable;
  /** Set when no new batch and no retry is to be sent. */
  readonly drain: AbortSignal;
  /** Set when requests in flight are to be cut off. */
  readonly abort: AbortSignal;
  /** The signal that ends the run in order, if one has come. */
  readonly received: () => StopSignal | undefined;
  readonly emit: (event: RunEvent) => void;
  /** Awaited now and then: resolves once the receiver has taken the events. */
  readonly caughtUp?: (() => Promise<void> | undefined) | undefined;
}

/** The steps of a command once its inputs are open. */
interface InputStages {
  /** Awaited between the chunks of a survey. */
  readonly onProgress?: SurveyListener["onProgress"];
  /** Takes the inputs once all of them are surveyed; returns what stopped it. */
  readonly finish: (inputs: readonly SurveyedInput[], tally: Tally) => Promise<RecPushError | undefined>;
  /** Called before the inputs are closed. */
  readonly close?: () => Promise<void>;
}

/**
 * Opens what the stages need; `directory` is private, for what does not fit into memory, and is removed with the run.
 */
export type OpenStages = (sources: readonly Source[], directory: string) => Promise<InputStages>;

/**
 * The first stages of a command: opens, inspects and surveys all inputs, then passes them on. Foreseeable failures are
 * in the result; anything thrown is a defect of rec-push.
 */
export async function runInputs(
  request: RunRequest,
  control: RunControl,
  openStages: OpenStages,
): Promise<RunEnd> {
  const { drain, emit, stdin } = control;
  const tally = new Tally();
  const surveyed: SurveyedInput[] = [];
  const failures: RecPushError[] = [];
  let failure: RecPushError | undefined;
  try {
    // Standard input may never end, whether a person types it or a program writes it.
    if (request.files.includes("-")) drain.addEventListener("abort", () => stdin().destroy(), { once: true });
    const inputs = await openInputs(request.files, stdin, request, drain);
    try {
      const { onProgress, finish, close } = await openStages(inputs.sources, inputs.spoolDirectory);
      if (close !== undefined) inputs.onClose(close);
      for await (const input of surveyInputs(inputs, request, drain, { emit, onProgress })) {
        if ("failure" in input) {
          tellInvalid(input, emit);
          failures.push(input.failure);
          continue;
        }
        tally.addSurvey(input.report.counts);
        emit({ kind: "survey", survey: input.report });
        surveyed.push(input);
      }
      const inferred = request.isPinned ? stopOnInference(surveyed.map(({ report }) => report)) : undefined;
      const misplaced = stopOnPositions(surveyed, request.fields);
      // A plan has judged the files as a whole; a shard may have none but invalid rows.
      const isJudged = request.surveyed !== undefined;
      const { onInvalid, maxInvalid } = request;
      const invalid = isJudged ? undefined : stopOnInvalidRows(surveyed, onInvalid, maxInvalid, emit);
      const unexpected = stopOnExpectations(surveyed, request.expected);
      failure = joinFailures(
        [...failures, misplaced, inferred, ...unexpected, invalid].filter((part) => part !== undefined),
      );
      failure ??= await finish(surveyed, tally);
    } finally {
      await inputs.close();
    }
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    // An operation interrupted by a signal may fail with an error of its own.
    failure = drain.aborted ? interruption() : error;
  }
  // The pins of only some of the inputs would not be enough for a rerun.
  const isComplete = surveyed.length === request.files.length;
  const pins = isComplete ? surveyed.flatMap(({ report }) => report.pins.map(({ option }) => option)) : [];
  return tally.end([...new Set(pins)], failure);
}

/** Reports rows that are invalid in addition to a question about their file. */
function tellInvalid(
  { source: { name: file }, failure: { problems } }: UncertainInput,
  emit: RunControl["emit"],
): void {
  if (problems.length === 0) return;
  emit({ kind: "problems", file, groups: problems });
  for (const { first } of problems) emit({ kind: "reject", file, problem: first });
}
