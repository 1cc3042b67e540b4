import type { OpenRun } from "../journal/open-run.ts";
import type { TouchedKeys } from "../journal/touched-keys.ts";
import type { RecPushError } from "../model/failure.ts";
import { selectionOf, selectRecords, type SelectedChunk } from "../prepare/select.ts";
import { hasDistinctKeys } from "../survey/distinct-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { noteChunksOf } from "./note-chunk.ts";
import { orFailure } from "./or-failure.ts";
import type { Pushing } from "./pushing.ts";
import { RecordFeed } from "./record-feed.ts";
import { settle } from "./settle.ts";

/** Prepares, selects and sends the records of an input, and settles what became of them; returns what stopped it. */
export async function sendInput(
  input: SurveyedInput,
  at: number,
  pushing: Pushing,
  run?: OpenRun,
  touched?: TouchedKeys,
): Promise<RecPushError | undefined> {
  const { books, request, control } = pushing;
  const { caughtUp } = control;
  const leavesInvalidOut = request.onInvalid === "skip";
  const noted = { at, file: input.source.name, leavesInvalidOut, account: run?.account, touched };
  const wasResumed = (run?.account.lastBatch ?? 0) > 0;
  const chunks = await selectInput(input, at, pushing, run);
  const note = noteChunksOf(noted, books);
  const feed = new RecordFeed(chunks, async (chunk, isSent) => {
    await note(chunk, isSent);
    await caughtUp?.();
  });
  try {
    const failure = hasRecords(input, run) ? await send(feed, input, at, pushing, run) : undefined;
    // Rows after the place where sending stopped are recorded too, as far as a file depends on them.
    return await orFailure(
      () =>
        feed.drain(() => {
          if (control.abort.aborted) return true;
          const mayHaveMore = wasResumed || feed.rejectedRows < input.report.counts.invalid;
          return books.rows === undefined && !mayHaveMore;
        }),
      failure,
    );
  } finally {
    await feed.close();
    if (at === pushing.inputs.length - 1) pushing.makers.release();
  }
}

/** The chunks of an input, with only the records that are to be sent now. */
async function selectInput(
  input: SurveyedInput,
  at: number,
  { makers, answers }: Pushing,
  run: OpenRun | undefined,
): Promise<AsyncIterable<SelectedChunk>> {
  const prepared = await makers.chunks(input);
  const account = run?.account;
  const hasSettled = account !== undefined && account.lastBatch > 0;
  return selectRecords(prepared, {
    ...selectionOf(input),
    leavesCreatesOut: account?.facts?.createdBy !== undefined,
    ...(answers[at] && { whyLeftOut: answers[at].whyLeftOut }),
    isSettled: hasSettled ? (kind, ordinal) => account.standingOf(kind, ordinal) !== undefined : undefined,
  });
}

/** False if the survey knows that nothing is left to be sent. */
function hasRecords({ report: { counts } }: SurveyedInput, run: OpenRun | undefined): boolean {
  const isUpdatesOnly = run?.account.facts?.createdBy !== undefined;
  const records = counts.updates + (isUpdatesOnly ? 0 : counts.creates);
  return records > (run === undefined ? 0 : run.account.settled + run.account.leftOut);
}

async function send(
  feed: RecordFeed,
  input: SurveyedInput,
  at: number,
  { openSession, totalRows, forms, answers, books, control: { drain, abort, emit, caughtUp } }: Pushing,
  run: OpenRun | undefined,
): Promise<RecPushError | undefined> {
  const file = input.source.name;
  const { tally } = books;
  const session = await openSession();
  const isDistinct = hasDistinctKeys(input.report.counts);
  const { failure } = await session.send(feed.records(), {
    hasDistinctKeys: isDistinct,
    drain,
    abort,
    onWaiting: (waiting) => emit({ kind: "waiting", ...waiting }),
    onRequest: (change) => emit({ kind: "request", change }),
    onSettled: async (settled) => {
      await settle(settled, { at, file, run }, books);
      emit({ kind: "progress", settledRows: (totalRows ?? tally.read) - tally.notSent, totalRows });
      await caughtUp?.();
    },
    ...(run === undefined
      ? {}
      : {
          // If no key comes twice in this run, its own late updates only repeat the values that it sends.
          givenUpAgoMs: run.givenUp.earlierAgoMs(isDistinct ? run.name : undefined),
          onGivenUp: (agoMs) => run.givenUp.note(run.name, agoMs),
          beforeRequest: (kind) => run.beforeRequest(kind),
          beforeCreate: (batch, texts) => {
            const { records } = batch;
            const printed = answers[at]?.printsOf(records.map(({ ordinal }) => ordinal));
            return run.announce(batch, printed ?? forms[at]!.printAll(records, texts));
          },
          firstBatch: run.account.lastBatch + 1,
        }),
  });
  return failure;
}
