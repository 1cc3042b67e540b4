import { describeRefusal, settlementOf } from "../files/outcome-log.ts";
import type { ComparisonForm } from "../ledger/comparison-form.ts";
import type { Start } from "../ledger/decide-start.ts";
import type { Settled } from "../model/counts.ts";
import { batchEvent } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import { type SelectedChunk, stream } from "../prepare/stream.ts";
import type { RecordMakers } from "../prepare/thread/record-makers.ts";
import type { SendSession } from "../send/send-session.ts";
import type { OpenRun } from "../store/open-run.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { hasDistinctKeys } from "../survey/survey-inputs.ts";
import type { RunControl } from "./check.ts";
import type { OvertakenRows } from "./overtaken.ts";
import type { LedgerAnswer } from "./duplicate-check.ts";
import { andCleanUp, type PushRequest, type RunOutputs } from "./run-outputs.ts";
import { noteChunksOf, RecordFeed, type RowBooks } from "./settle-doubt.ts";
import type { Tally } from "./tally-run.ts";

/** Prepares, selects and sends the records of an input, and settles what became of them; returns what stopped it. */
export async function sendInput(
  input: SurveyedInput,
  at: number,
  pushing: PushContext,
  run?: OpenRun,
  notesKeys = false,
): Promise<RecPushError | undefined> {
  const { books, request, control } = pushing;
  const { caughtUp } = control;
  const leavesInvalidOut = request.onInvalid === "skip";
  const noted = { at, file: input.source.name, leavesInvalidOut, account: run?.account };
  const wasResumed = (run?.account.settled ?? 0) > 0;
  const chunks = selectInput(input, at, pushing, run);
  const note = noteChunksOf(noted, books);
  const feed = new RecordFeed(chunks, async (chunk, isSent) => {
    await note(chunk);
    if (run !== undefined) await noteOvertaken(chunk, run, books.tally);
    if (isSent && notesKeys) await run?.noteKeys(chunk.records);
    await caughtUp?.();
  });
  try {
    const failure = hasRecords(input, run) ? await send(feed, input, at, pushing, run) : undefined;
    // Rows after the place where sending stopped are recorded too, as far as the rejects depend on them.
    return await andCleanUp(
      () =>
        feed.drain(() => {
          if (control.abort.aborted) return true;
          return !wasResumed && feed.rejectedRows >= input.report.counts.invalid;
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
  input: SurveyedInput,
  at: number,
  { makers, answers, overtaken, books, request: { read } }: PushContext,
  run: OpenRun | undefined,
): AsyncIterable<SelectedChunk> {
  const account = run?.account;
  const hasSettled = account !== undefined && account.settled > 0;
  const selection = {
    leavesCreatesOut: account?.facts?.createdBy !== undefined,
    whyLeftOut: answers[at]?.whyLeftOut,
  };
  books.selections.set(at, selection);
  const states = hasSettled ? account : undefined;
  const { isOvertaken } = overtaken[at] ?? {};
  return stream(input, { read, chunks: makers.chunks(input), states, isOvertaken, ...selection });
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
  { openSession, totalRows, forms, answers, books, control: { drain, abort, emit, caughtUp } }: PushContext,
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

interface SettlingBooks extends RowBooks {
  readonly tally: Tally;
}

/**
 * The only reader of outcomes: it passes them to journal, rejects, counts, results and events, which get what the
 * journal holds. Throws after that if the journal takes nothing more.
 */
async function settle(
  settled: Settled,
  { at, file, run }: { readonly at: number; readonly file: string; readonly run: OpenRun | undefined },
  books: SettlingBooks,
): Promise<void> {
  let told = settled;
  let stop: RecPushError | undefined;
  try {
    if (run !== undefined) ({ told, stop } = await run.settle(settled));
  } finally {
    await note(told, { at, file, isKept: run !== undefined }, books);
  }
  if (stop !== undefined) throw stop;
}

async function note(
  settled: Settled,
  { at, file, isKept }: { readonly at: number; readonly file: string; readonly isKept: boolean },
  { tally, verdicts, doubts, outcomes, hasResults, emit }: SettlingBooks,
): Promise<void> {
  const { records, outcome } = settled;
  tally.settle(file, settled);
  // Only results ask for what this command settled.
  if (hasResults) outcomes.add(at, settlementOf(settled));
  emit(batchEvent(file, settled));
  if (outcome === "accepted") verdicts.addAccepted(at, records);
  for (const record of outcome === "accepted" ? [] : records) {
    if (outcome === "inDoubt" && isKept) doubts.addInDoubt(at, record, settled);
    if (outcome !== "refused") continue;
    verdicts.addRefused(at, record, settled);
    emit({ event: "reject", file, line: record.line, reason: describeRefusal(settled) });
  }
  await outcomes.settle();
  await verdicts.settle();
  await doubts.settle();
}

/** How the inputs of a push start. */
export interface DecidedStarts {
  /** By input; empty if nothing is kept. */
  readonly starts: readonly Start[];
  /** By input: how its creates are compared with others. */
  readonly forms: readonly ComparisonForm[];
  /** By input: what the ledger says about its creates; `undefined` if all may be sent. */
  readonly answers: readonly (LedgerAnswer | undefined)[];
  /** By input: its updates that later runs overtook; `undefined` if there are none. */
  readonly overtaken: readonly (OvertakenRows | undefined)[];
  /** The runs that are open on the table, as far as the command has got. */
  readonly openRuns: Set<string>;
  /** The runs whose rejects are still to be mended and pushed. */
  readonly unmended: ReadonlySet<string>;
  /** Rows to be sent, skipped or rejected in total; `undefined` if they were not counted. */
  readonly totalRows: number | undefined;
}

/** The state that all inputs of a push share. */
export interface PushContext extends DecidedStarts {
  readonly inputs: readonly SurveyedInput[];
  readonly request: PushRequest;
  readonly control: RunControl;
  readonly books: RunOutputs;
  readonly makers: RecordMakers;
  readonly openSession: () => Promise<SendSession>;
}
