import type { Readable } from "node:stream";
import { knownFields } from "../fields/columns/other-columns.ts";
import type { SurveyReport } from "../model/counts.ts";
import { rejectEvent, type RunEvent } from "../model/event.ts";
import type { RunEnd, StopSignal } from "../model/exit-code.ts";
import { interruption, RecPushError } from "../model/failure.ts";
import { recordJson } from "../model/settlement.ts";
import { stream } from "../prepare/stream.ts";
import type { PlanTexts } from "../store/run-facts.ts";
import {
  type Expectations,
  stopOnExpectations,
  stopOnInference,
  stopOnInvalidRows,
  stopOnPositions,
} from "../survey/stop-on-positions.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import {
  type InputPlaces,
  openInputs,
  surveyInputs,
  type SurveyRequest,
  type UncertainInput,
} from "../survey/survey-inputs.ts";
import { Tally } from "./tally-run.ts";

/** Where `--records` writes. */
export interface RecordSink {
  /** False once the reader has left; nothing further is written then. */
  readonly write: (text: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A push that stops before sending. */
export interface CheckRequest extends RunRequest {
  /** Opens the destination of the records, which are written as NDJSON, once the survey has passed. */
  readonly openRecords: (() => Promise<RecordSink>) | undefined;
  /** Asks the book of the table about the inputs, once the survey has passed; see `askBook`. */
  readonly askBook?: ((inputs: readonly SurveyedInput[], directory: string) => Promise<void>) | undefined;
}

/** Surveys the inputs and writes their records if asked; nothing is sent and nothing else is kept. */
export function check(request: CheckRequest, control: RunControl): Promise<RunEnd> {
  return runInputs(request, control, async (inputs, _, directory) => {
    const failure = await writeRecords(inputs, request, control);
    if (failure === undefined) await request.askBook?.(inputs, directory);
    return failure;
  });
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
      for await (const { records, rejected } of stream(input, { read })) {
        if (drain.aborted) return undefined;
        for (const { problems } of rejected) {
          for (const problem of problems) emit(rejectEvent(file, problem));
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

/** The inputs of a command, and how they are read. */
export interface RunRequest extends SurveyRequest, InputPlaces {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  readonly onInvalid: "stop" | "skip";
  /** The run stops if anything has to be inferred. */
  readonly isPinned: boolean;
  /** What the user expects of each file. */
  readonly expected?: Expectations | undefined;
  /** The part of the record plan that comes from options. */
  readonly optionPlan: PlanTexts;
  /** Columns whose field was guessed by their names. */
  readonly guessed?: readonly string[] | undefined;
}

/** Marks the fields that neither rec-push nor a config knows, and those that were guessed. */
function markColumns(survey: SurveyReport, { fields, guessed = [] }: RunRequest): SurveyReport {
  const { map, configColumns } = fields;
  const ofConfig = map.filter(({ column }) => configColumns?.has(column) === true);
  const known = knownFields({ ...fields, types: new Map(), set: new Map(), map: ofConfig });
  const columns = survey.columns.map((column) => {
    const { field, header } = column;
    if (field === undefined) return column;
    if (!known.names.has(field)) return { ...column, mark: "new" as const };
    return guessed.includes(header) ? { ...column, mark: "guessed" as const } : column;
  });
  return { ...survey, columns };
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

/**
 * Takes the inputs of a command once all of them are surveyed; returns what stopped it. `directory` is private, for what
 * does not fit into memory, and is removed with the run.
 */
export type FinishInputs = (
  inputs: readonly SurveyedInput[],
  tally: Tally,
  directory: string,
) => Promise<RecPushError | undefined>;

/**
 * The first stages of a command: opens, inspects and surveys all inputs, then passes them on. Foreseeable failures are
 * in the result; anything thrown is a defect of rec-push.
 */
export async function runInputs(
  request: RunRequest,
  control: RunControl,
  finish: FinishInputs,
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
      for await (const input of surveyInputs(inputs, request, drain, emit)) {
        if ("failure" in input) {
          tellInvalid(input, emit);
          failures.push(input.failure);
          continue;
        }
        tally.addSurvey(input.report.counts);
        emit({ event: "survey", survey: markColumns(input.report, request) });
        surveyed.push(input);
      }
      const inferred = request.isPinned ? stopOnInference(surveyed.map(({ report }) => report)) : undefined;
      const misplaced = stopOnPositions(surveyed, request.fields);
      // A plan has judged the files as a whole; a shard may have none but invalid rows.
      const isJudged = request.surveyed !== undefined;
      const invalid = isJudged ? undefined : stopOnInvalidRows(surveyed, request.onInvalid, emit);
      const unexpected = stopOnExpectations(surveyed, request.expected);
      failure = joinFailures(
        [...failures, misplaced, inferred, ...unexpected, invalid].filter((part) => part !== undefined),
      );
      failure ??= await finish(surveyed, tally, inputs.spoolDirectory);
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

/** Reports invalid rows in addition to a question about their file. */
function tellInvalid(
  { source: { name: file }, failure: { problems } }: UncertainInput,
  emit: RunControl["emit"],
): void {
  if (problems.length === 0) return;
  emit({ event: "problems", file, groups: problems, first: problems.map(({ first }) => first) });
}

/** Joins several failures into one that reports them all; wrong usage takes precedence over a question about a file. */
function joinFailures(failures: readonly RecPushError[]): RecPushError | undefined {
  const parts = failures.flatMap((failure) => (failure.parts.length === 0 ? failure : failure.parts));
  const first = parts.find(({ kind }) => kind === "usage") ?? parts[0];
  if (first === undefined || parts.length === 1) return first;
  const wanted = [...new Set(parts.flatMap((part) => part.options))];
  const isAgreed = areAlike(parts);
  const options = isAgreed ? wanted : [];
  const hints = parts.flatMap(({ hint, options: { length } }) =>
    hint === undefined || length > 0 ? [] : hint,
  );
  const ready = options.length > 0 ? [`add ${options.join(" ")}`] : [];
  if (!isAgreed) ready.push("each needs options of its own: push them one after the other");
  const hint = [...ready, ...new Set(hints)].join("\n");
  return new RecPushError(first.code, parts.map(({ message }) => message).join("\n"), {
    parts,
    options,
    choices:
      !isAgreed || parts.some(({ choices }) => choices === undefined)
        ? undefined
        : parts.flatMap(({ choices = [] }) => choices),
    hint: hint || undefined,
    place: first.place,
  });
}

/** True if all files that need options about columns need the same: a file without such a column refuses its option. */
function areAlike(parts: readonly RecPushError[]): boolean {
  const byFile = new Map<string, Set<string>>();
  for (const { place, options } of parts) {
    if (place === undefined) continue;
    const ofFile = byFile.get(place.file) ?? new Set();
    for (const option of options) if (/^--(?:map|type|drop|keep) /.test(option)) ofFile.add(option);
    byFile.set(place.file, ofFile);
  }
  const [one = new Set(), ...others] = [...byFile.values()].filter(({ size }) => size > 0);
  return others.every((other) => other.size === one.size && [...other].every((option) => one.has(option)));
}
