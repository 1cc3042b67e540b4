import { KEY_FIELD } from "../fields/columns/other-columns.ts";
import { type DoubtFile, showCount, type ToSend } from "../model/counts.ts";
import type { RejectsFile, RunEnd } from "../model/exit-code.ts";
import { interruption, type RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import { bookOf, hasNoBook } from "../store/find-books.ts";
import type { StateDirectory } from "../store/state-directory.ts";
import { loadRun } from "../store/summarise-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type RunControl, runInputs } from "./check.ts";
import { tellCreatedBefore } from "./created-before-texts.ts";
import { decideStarts } from "./decide-starts.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import { type DriftWatch, judgeDrift } from "./judge-drift.ts";
import { pushInput } from "./push-input.ts";
import { type PushRequest, type RunKeeping, RunOutputs } from "./run-outputs.ts";
import type { PushContext } from "./send-input.ts";
import { tallyRun } from "./tally-run.ts";

/**
 * One push from end to end. The stages for all inputs: open, inspect, survey (`runInputs`), and start, decided once.
 * Then for each input in turn: prepare, select, send, settle and finish (`pushInput`).
 */
export async function push(request: PushRequest, control: RunControl): Promise<RunEnd> {
  const { read, keeping } = request;
  let rejectsFiles: readonly RejectsFile[] = [];
  let doubtFiles: readonly DoubtFile[] = [];
  /** The run that is to be resumed, as soon as it is known. */
  let toResume = keeping?.resumed;
  const end = await runInputs(request, control, async (_, directory) => {
    const makers = new RecordMakers({ read });
    return {
      async finish(inputs, tally) {
        const books = new RunOutputs(inputs, request, control, tally, directory);
        // The plan of a shard has asked the ledger.
        const duplicates =
          keeping && keeping.shard === undefined
            ? new DuplicateCheck(request, keeping, directory, makers)
            : undefined;
        try {
          const about = { request, control, books, makers };
          const failure = await sendInputs(inputs, about, duplicates, (run) => (toResume = run));
          return await books.finish(failure);
        } finally {
          rejectsFiles = books.rejects.files;
          doubtFiles = books.doubtFiles.files;
          await books.remove();
          await duplicates?.close();
        }
      },
      close: () => makers.close(),
    };
  });
  const ended = { ...end, rejectsFiles, doubtFiles };
  const isRefused = end.failure !== undefined && end.runs.length === 0 && end.read > 0;
  return isRefused && keeping !== undefined && toResume !== undefined
    ? countResumed(ended, keeping, toResume)
    : ended;
}

/** The ending of a command that was to resume a run and did not begin: the rows are counted as the run left them. */
async function countResumed(end: RunEnd, { state, shard }: RunKeeping, run: string): Promise<RunEnd> {
  if (shard !== undefined) return end;
  const stored = await loadRun(state, run).catch(() => undefined);
  if (stored === undefined) return end;
  const { read, counts, batches, whereabouts } = tallyRun(stored).end([], undefined);
  return { ...end, read, counts, batches, whereabouts, hasBegun: false };
}

async function sendInputs(
  inputs: readonly SurveyedInput[],
  about: Pick<PushContext, "request" | "control" | "books" | "makers">,
  duplicates: DuplicateCheck | undefined,
  onResume: (run: string) => void,
): Promise<RecPushError | undefined> {
  const { request, control, books } = about;
  let session: SendSession | undefined;
  const { keeping } = request;
  const openSession = async (): Promise<SendSession> =>
    (session ??= await request.openSession(await isProven()));
  const isProven = async (): Promise<boolean> =>
    keeping !== undefined && (await bookOf(keeping.state, keeping.target)).hasCreated;
  let drift: DriftWatch | undefined;
  const decided = await decideStarts(inputs, {
    ...about,
    duplicates,
    onStarts: async (starts) => {
      const [start] = starts;
      if (starts.length === 1 && start?.kind === "resume") onResume(start.stored.run);
      drift = keeping && (await judgeDrift(inputs, starts, keeping, request, control.emit));
    },
  });
  const pushing: PushContext = { inputs, ...about, ...decided, openSession };
  const isKnown = keeping === undefined || keeping.again || keeping.shard !== undefined;
  const text = isKnown
    ? undefined
    : await newStateText(keeping.state, inputs, {
        table: keeping.facts.table,
        words: request.ledgerWords,
      });
  if (text !== undefined) control.emit({ event: "notice", text });
  for (const [at, input] of inputs.entries()) {
    const answer = decided.answers[at];
    if (keeping !== undefined && answer !== undefined)
      await tellCreatedBefore(input, answer, {
        read: request.read,
        table: keeping.facts.table,
        emit: control.emit,
      });
  }
  const toSend = countToSend(pushing);
  control.emit({ event: "ready", toSend });
  const refused = await request.confirm?.(toSend);
  if (refused !== undefined) return refused;
  let failure: RecPushError | undefined;
  let reached = 0;
  try {
    for (; reached < inputs.length && failure === undefined; reached++) {
      failure = await pushInput(inputs[reached]!, reached, pushing);
      if (failure === undefined) await drift?.note(reached, books.accounts.get(reached));
    }
  } finally {
    await session?.close();
  }
  if (failure !== undefined) return failure;
  return control.drain.aborted && books.tally.counts.notSent > 0 ? interruption() : undefined;
}

/** What all inputs together are about to send. */
export function countToSend({
  inputs,
  starts,
  answers,
  overtaken,
}: Pick<PushContext, "inputs" | "starts" | "answers" | "overtaken">): ToSend {
  const columns = inputs.flatMap(({ report }) => report.columns);
  const keys = columns.flatMap(({ field, header }) => (field === KEY_FIELD ? [header] : []));
  const sum = { keys: [...new Set(keys)], updates: 0, creates: 0, rest: 0, createdBefore: 0, differ: 0 };
  for (const [at, { report }] of inputs.entries()) {
    const start = starts[at];
    const { updates, creates } = report.counts;
    const counts = answers[at]?.counts;
    const passed = overtaken[at]?.rows ?? 0;
    if (start?.kind === "leftOut") continue;
    if (start?.kind === "resume") {
      const { settled, leftOut } = start.stored.account;
      sum.rest += Math.max(0, updates + creates - settled - leftOut - passed);
      continue;
    }
    sum.updates += updates - passed;
    sum.creates += start?.createdBy !== undefined ? 0 : (counts?.fresh ?? creates);
    sum.createdBefore += start?.createdBy !== undefined ? creates : (counts?.equal ?? 0);
    sum.differ += counts?.changed ?? 0;
  }
  return sum;
}

/**
 * The notice before the first creates that a state directory records; `undefined` if it has recorded any before. It
 * reveals a lost disk, and machines that lose their state between two jobs. `words`: see {@link PushRequest.ledgerWords}.
 */
async function newStateText(
  state: StateDirectory,
  inputs: readonly SurveyedInput[],
  { table, words = "" }: { readonly table: string; readonly words: PushRequest["ledgerWords"] },
): Promise<string | undefined> {
  const creates = inputs.reduce((sum, { report }) => sum + report.counts.creates, 0);
  if (creates === 0 || !(await hasNoBook(state))) return undefined;
  return `no earlier push is known in ${state.root}: ${showCount(creates, "create")} cannot be compared with earlier ones (rec-push ledger add FILE --table ${quoteWord(table)}${words} counts the creates of an earlier export as made)`;
}
