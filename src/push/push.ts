import { interruption, type RecPushError } from "../model/failure.ts";
import { writeResults } from "../files/results.ts";
import { RowEnds } from "../files/row-ends.ts";
import { RowsFiles } from "../files/rows-files.ts";
import type { DoubtFile } from "../model/counts.ts";
import type { RejectsFile, RunEnd } from "../model/exit-code.ts";
import { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import { bookOf } from "../store/find-books.ts";
import { loadRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type RunControl, runInputs } from "./check.ts";
import { countToSend, decidePush, newStateText, tellDecided } from "./decide-inputs.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import { type PushContext, pushInput } from "./push-input.ts";
import { andCleanUp, type PushRequest } from "./push-request.ts";
import { tallyRun } from "./tally-run.ts";

/**
 * One push from end to end. The stages for all inputs: open, inspect, survey (`runInputs`), and start, decided once
 * (`decidePush`). Then for each input in turn: prepare, select, send, settle and finish (`pushInput`).
 */
export async function push(request: PushRequest, control: RunControl): Promise<RunEnd> {
  const { keeping } = request;
  let rejectsFiles: readonly RejectsFile[] = [];
  let doubtFiles: readonly DoubtFile[] = [];
  let toResume = keeping?.resumed;
  const end = await runInputs(request, control, async (inputs, tally, directory) => {
    const makers = new RecordMakers({ read: request.read });
    const { abort, emit } = control;
    const ends = new RowEnds({ inputs, read: request.read, makers, abort }, directory);
    const files = openFiles(inputs, ends, request, control);
    // The plan of a shard has asked the ledger.
    const asksLedger = keeping !== undefined && keeping.shard === undefined;
    const duplicates = asksLedger ? new DuplicateCheck({ request, keeping, directory, makers }) : undefined;
    try {
      const decided = await decidePush(inputs, tally, request, duplicates, emit);
      const about = { ...decided, request, control, tally, ends, files, makers };
      const stopped = await sendInputs(inputs, about);
      const { results } = request;
      if (results === undefined) return stopped;
      return await andCleanUp(() => writeResults(inputs, ends, results), stopped);
    } finally {
      await makers.close();
      toResume ??= tally.toResume;
      ({ rejectsFiles, doubtFiles } = files);
      await duplicates?.close();
    }
  });
  const ended = { ...end, rejectsFiles, doubtFiles };
  const isRefused = end.failure !== undefined && end.runs.length === 0 && end.read > 0;
  if (!isRefused || keeping === undefined || keeping.shard !== undefined || toResume === undefined)
    return ended;
  // Its rows are counted as the run left them.
  const stored = await loadRun(keeping.state, toResume).catch(() => undefined);
  if (stored === undefined) return ended;
  const { read, counts, batches } = tallyRun(stored.account).end([], undefined);
  return { ...ended, read, counts, batches, hasBegun: false };
}

/** The files of rows that a command may have to write. */
function openFiles(
  inputs: readonly SurveyedInput[],
  ends: RowEnds,
  { keeping: known, mendCommand, onInvalid, rejects = [] }: PushRequest,
  { abort, emit }: RunControl,
): RowsFiles {
  const tell = (file: string, text: string): void =>
    emit({ event: "notice", file, text, isAlwaysShown: true });
  const leavesInvalidOut = onInvalid === "skip";
  return new RowsFiles({ inputs, ends, leavesInvalidOut, abort, tell, known, mendCommand }, rejects);
}

/** Says what is about to be sent, and sends it if nobody objects; returns what stopped it. */
async function sendInputs(
  surveyed: readonly SurveyedInput[],
  about: Omit<PushContext, "openSession">,
): Promise<RecPushError | undefined> {
  const { inputs, request, control, tally } = about;
  const { keeping } = request;
  if (keeping !== undefined) {
    const text = await newStateText(surveyed, keeping);
    if (text !== undefined) control.emit({ event: "notice", text });
    await tellDecided(inputs, { ...request, keeping }, control.emit);
  }
  const toSend = countToSend(inputs);
  control.emit({ event: "ready", toSend });
  const refused = await request.confirm?.(toSend);
  if (refused !== undefined) return refused;
  let session: SendSession | undefined;
  const openSession = async (): Promise<SendSession> => {
    const isProven = keeping !== undefined && (await bookOf(keeping.state, keeping.target)).hasCreated;
    return (session ??= await request.openSession(isProven));
  };
  let failure: RecPushError | undefined;
  try {
    for (const decided of inputs) {
      failure = await pushInput(decided, { ...about, openSession });
      if (failure !== undefined) return failure;
    }
  } finally {
    await session?.close();
  }
  return control.drain.aborted && tally.counts.notSent > 0 ? interruption() : undefined;
}
