import { describeRefusal } from "../files/row-ends.ts";
import type { Settled } from "../model/counts.ts";
import { batchEvent, rejectEvent } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import type { RecordList } from "../model/settlement.ts";
import { type SelectedChunk, stream } from "../prepare/stream.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import { ordinalsOf } from "../store/number-ranges.ts";
import type { OpenRun } from "../store/open-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { hasDistinctKeys } from "../survey/survey-inputs.ts";
import type { RunControl } from "./check.ts";
import type { DecidedInput, DecidedPush } from "./decide-inputs.ts";
import { andCleanUp, type PushRequest, type RunOutputs } from "./run-outputs.ts";
import type { Tally } from "./tally-run.ts";

/** Prepares, selects and sends the records of an input, and settles what became of them; returns what stopped it. */
export async function sendInput(
  decided: DecidedInput,
  pushing: PushContext,
  run?: OpenRun,
  notesKeys = false,
): Promise<RecPushError | undefined> {
  const { input, overtaken } = decided;
  const { books, control } = pushing;
  const { name: file } = input.source;
  const feed = new RecordFeed(selectInput(decided, pushing, run), async (chunk, isSent) => {
    for (const { problems } of chunk.rejected)
      for (const problem of problems) control.emit(rejectEvent(file, problem));
    if (run !== undefined) await noteOvertaken(chunk, run, books.tally);
    if (isSent && notesKeys) await run?.noteKeys(chunk.records);
    await control.caughtUp?.();
  });
  try {
    const failure = hasRecords(input, run) ? await send(feed, decided, pushing, run) : undefined;
    // The invalid and the overtaken rows after the place where sending stopped are reported too.
    return await andCleanUp(
      () =>
        feed.drain(() => {
          if (control.abort.aborted) return true;
          return overtaken === undefined && feed.rejectedRows >= input.report.counts.invalid;
        }),
      failure,
    );
  } finally {
    await feed.close();
  }
}

/** Notes the updates of a chunk that later runs overtook: they count as skipped. */
async function noteOvertaken({ leftOut }: SelectedChunk, run: OpenRun, tally: Tally): Promise<void> {
  const passed = leftOut.flatMap(({ record, why }) => (why === "overtaken" ? record.ordinal : []));
  await run.passOver(passed);
  tally.move("skipped", passed.length);
}

/** The chunks of an input, with only the records that are to be sent now. */
function selectInput(
  { input, at, answer, overtaken }: DecidedInput,
  { makers, books, request: { read } }: PushContext,
  run: OpenRun | undefined,
): AsyncIterable<SelectedChunk> {
  const account = run?.account;
  const hasSettled = account !== undefined && account.settled > 0;
  const selection = {
    leavesCreatesOut: account?.facts?.createdBy !== undefined,
    whyLeftOut: answer?.whyLeftOut,
  };
  books.ends.selections.set(at, selection);
  const states = hasSettled ? account : undefined;
  const { isOvertaken } = overtaken ?? {};
  return stream(input, { read, chunks: makers.chunks(input), states, isOvertaken, ...selection });
}

/** False if the survey proves that nothing is left to be sent. */
function hasRecords({ report: { counts } }: SurveyedInput, run: OpenRun | undefined): boolean {
  const isUpdatesOnly = run?.account.facts?.createdBy !== undefined;
  const records = counts.updates + (isUpdatesOnly ? 0 : counts.creates);
  return records > (run === undefined ? 0 : run.account.settled + run.account.leftOut);
}

async function send(
  feed: RecordFeed,
  { input, at, form }: DecidedInput,
  { openSession, totalRows, books, control: { drain, abort, emit, caughtUp } }: PushContext,
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
    onWaiting: ({ forMs: ms, why: reason, isAsked }) => emit({ event: "waiting", ms, reason, isAsked }),
    onRequest: (change) => emit({ event: "request", change }),
    onSettled: async (settled) => {
      await settle(settled, { at, file, run }, books);
      emit({ event: "progress", settledRows: (totalRows ?? tally.read) - tally.notSent, totalRows });
      await caughtUp?.();
    },
    ...(run === undefined
      ? {}
      : {
          // If no key comes twice in this run, its own late updates only repeat the values that it sends.
          givenUpAgoMs: run.givenUp.earlierAgoMs(isDistinct ? run.name : undefined),
          onGivenUp: (agoMs) => run.givenUp.note(run.name, agoMs),
          beforeRequest: (kind) => run.beforeRequest(kind),
          beforeFirstByte: () => run.beforeFirstByte(),
          beforeCreate: (batch, texts) => run.announce(batch, form!.printAll(batch.records, texts)),
          firstBatch: run.account.lastBatch + 1,
        }),
  });
  return failure;
}

/**
 * The only reader of outcomes: it passes them to journal, rejects, counts, results and events, all of which get the outcome
 * as the journal holds it. Throws after that if the journal accepts nothing more.
 */
async function settle(
  settled: Settled,
  { at, file, run }: { readonly at: number; readonly file: string; readonly run: OpenRun | undefined },
  books: RunOutputs,
): Promise<void> {
  let told = settled;
  let stop: RecPushError | undefined;
  try {
    if (run !== undefined) ({ told, stop } = await run.settle(settled));
  } finally {
    await note(told, at, file, books);
  }
  if (stop !== undefined) throw stop;
}

async function note(
  settled: Settled,
  at: number,
  file: string,
  { tally, ends, emit }: RunOutputs,
): Promise<void> {
  const { records, outcome } = settled;
  tally.settle(file, settled);
  ends.add(at, { ...settled, ordinals: ordinalsOf(records) });
  emit(batchEvent(file, settled));
  for (const { line } of outcome === "refused" ? records : [])
    emit({ event: "reject", file, line, reason: describeRefusal(settled) });
  await ends.settle();
}

/** The state that all inputs of a push share. */
export interface PushContext extends DecidedPush {
  readonly request: PushRequest;
  readonly control: RunControl;
  readonly books: RunOutputs;
  readonly makers: RecordMakers;
  readonly openSession: () => Promise<SendSession>;
}

/** Called with every chunk; `isSent` is false for chunks that come after sending has stopped. */
type NoteChunk = (chunk: SelectedChunk, isSent: boolean) => Promise<void>;

/** The chunks of one input on their way to sending; when sending has stopped, the rest can still be recorded. */
class RecordFeed {
  readonly #chunks: AsyncIterator<SelectedChunk>;
  readonly #note: NoteChunk;
  /** Rows that were recorded as rejected. */
  rejectedRows = 0;

  constructor(chunks: AsyncIterable<SelectedChunk>, note: NoteChunk) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#note = note;
  }

  /** The records to be sent. Leaving the loop early does not end the chunks. */
  async *records(): AsyncGenerator<RecordList> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      await this.#take(value, true);
      if (value.records.length > 0) yield value.records;
    }
  }

  /** Records the chunks that are left; ends once `isEnough` returns true. */
  async drain(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      await this.#take(value, false);
    }
  }

  async #take(chunk: SelectedChunk, isSent: boolean): Promise<void> {
    this.rejectedRows += chunk.rejected.length;
    await this.#note(chunk, isSent);
  }

  /** Ends the chunks. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
