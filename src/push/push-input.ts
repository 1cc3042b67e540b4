import { describeRefusal } from "../files/row-ends.ts";
import { hasWrittenFiles } from "../files/rows-to-mend.ts";
import type { EarlierPush } from "../ledger/decide-start.ts";
import type { Settled } from "../model/counts.ts";
import { type BatchEvent, rejectEvent } from "../model/event.ts";
import { exitCode } from "../model/exit-code.ts";
import { interruption, type RecPushError } from "../model/failure.ts";
import type { RecordList } from "../model/settlement.ts";
import { type SelectedChunk, stream } from "../prepare/stream.ts";
import { shardWords } from "../shards/open-shard.ts";
import { ordinalsOf } from "../store/number-ranges.ts";
import type { OpenRun } from "../store/open-run.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { hasDistinctKeys } from "../survey/survey-inputs.ts";
import { beginRun, resumeRun } from "./begin-run.ts";
import type { RunControl } from "./check.ts";
import type { DecidedInput, DecidedPush } from "./decide-inputs.ts";
import { andCleanUp, type PushOutputs, type PushRequest, type RunKeeping } from "./push-request.ts";
import { tellOf } from "./start-inputs.ts";
import { noteWhatIsLeft } from "./take-over.ts";

/** Pushes one input, in its run if runs are kept; returns what stopped it. */
export function pushInput(decided: DecidedInput, pushing: PushContext): Promise<RecPushError | undefined> {
  return new InputPush(decided, pushing).push();
}

/** The state that all inputs of a push share. */
export interface PushContext extends DecidedPush, PushOutputs {
  readonly request: PushRequest;
  readonly control: RunControl;
  readonly openSession: () => ReturnType<PushRequest["openSession"]>;
}

/** The push of one input: its run, its records on their way to the service, and what is left of it afterwards. */
class InputPush {
  readonly #decided: DecidedInput;
  readonly #pushing: PushContext;
  readonly #file: string;
  #chunks: AsyncIterator<SelectedChunk> | undefined;
  /** Rows that were reported as rejected. */
  #rejectedRows = 0;

  constructor(decided: DecidedInput, pushing: PushContext) {
    this.#decided = decided;
    this.#pushing = pushing;
    this.#file = decided.input.source.name;
  }

  async push(): Promise<RecPushError | undefined> {
    const { at } = this.#decided;
    const { request, files } = this.#pushing;
    if (request.keeping !== undefined) return this.#pushInRun(request.keeping);
    await files.begin(at);
    const stopped = await this.#send();
    return andCleanUp(() => files.finish(at), stopped);
  }

  async #pushInRun(keeping: RunKeeping): Promise<RecPushError | undefined> {
    const { input, at, start, answer } = this.#decided;
    const { request, control, tally, files, ends } = this.#pushing;
    if (start.kind === "leftOut") return this.#leaveOut(start.earlier);
    // If nothing is left to send, its rows to mend are in their file.
    const hasFiles = start.kind === "resume" && hasWrittenFiles(start.stored.account);
    const run =
      start.kind === "resume"
        ? await resumeRun(this.#decided, start, keeping, control.emit)
        : await this.#begin(start.createdBy, keeping);
    const { account } = run;
    try {
      if (start.kind === "resume") await this.#takeUp(run, start.stored);
      const createdBy = account.facts.createdBy;
      if (createdBy !== undefined) tally.move("skipped", input.report.counts.creates);
      await files.begin(at, run.directory);
      if (answer !== undefined) {
        await answer.note(run.name);
        await run.leaveOut(answer.leftOut);
        tally.move("skipped", answer.leftOut);
        tally.leaveCreatesOut(answer.counts, answer.doubtful);
      }
      ends.accounts.set(at, account);
      tally.runs.push(run.name);
      const isWritten = hasFiles && !this.#hasRecords(run);
      const sent = await this.#send(run);
      // The run and its files belong to another process now.
      if (sent?.code === "lock-lost") return sent;
      tally.leaveInDoubt(run.endSending());
      const written = await andCleanUp(
        () => (isWritten ? files.recall(at, run.directory) : files.finish(at)),
        sent,
      );
      const total = account.counts;
      // The rows of later inputs are newer than its mended rows.
      if (total.rejected + total.refused > 0) this.#pushing.unmended.add(run.name);
      const stopped = await andCleanUp(() => files.writeDoubt(at, run.directory, account), written);
      const calledBy = keeping.shard && shardWords(keeping.shard);
      tally.noteDoubt({ run: run.name, file: this.#file, calledBy }, account, total);
      const failure = stopped ?? (control.drain.aborted && total.notSent > 0 ? interruption() : undefined);
      const code = exitCode({ counts: total, failure, signal: control.received() });
      const ended = await andCleanUp(() => run.end(code, failure), stopped);
      // A plan has no older runs beside it, and closes its own.
      if (control.abort.aborted || keeping.shard !== undefined) return ended;
      const { openRuns } = tally;
      const tell = tellOf(input, control.emit);
      return await andCleanUp(
        () => noteWhatIsLeft(run, input, { openRuns, keeping, read: request.read, tell }),
        ended,
      );
    } finally {
      if (run.isOpen) tally.openRuns.add(run.name);
      else tally.openRuns.delete(run.name);
      if (run.isDone) tally.doneRuns.push(run.name);
      await run.close();
    }
  }

  /** Leaves out an input whose content was pushed before, or is that of an earlier input. */
  async #leaveOut(earlier: EarlierPush | undefined): Promise<undefined> {
    const { input, at } = this.#decided;
    const { tally, files, ends } = this.#pushing;
    tally.leaveOut(input.report.counts, earlier);
    ends.earlier.set(at, { leftIn: earlier?.leftIn, isTwin: earlier === undefined });
    if (earlier?.leftIn !== undefined) await files.recall(at, earlier.leftIn);
  }

  #begin(createdBy: EarlierPush | undefined, keeping: RunKeeping): Promise<OpenRun> {
    const { request, tally, ends, unmended, profiles } = this.#pushing;
    // When the command goes on with an open run, its further files belong to the command that began that run.
    const [first] = ends.accounts.values();
    return beginRun(this.#decided, createdBy?.run, {
      request,
      keeping,
      command: first?.facts.command ?? keeping.command,
      olderRuns: [...new Set([...tally.openRuns, ...unmended])],
      figures: profiles.get(this.#decided.at),
    });
  }

  /** Takes over what earlier processes of the run settled; failed updates are sent again. */
  async #takeUp({ name, directory, account }: OpenRun, stored: StoredRun): Promise<void> {
    const { tally, files, ends, control } = this.#pushing;
    tally.restore(account);
    tally.move("skipped", account.count("overtaken"));
    files.takeUp(this.#decided.at, stored);
    control.emit({ event: "resumed", file: this.#file, run: name, settledRows: account.settled });
    await ends.takeUp(this.#decided.at, directory);
  }

  /** Prepares, selects and sends the records of the input, and settles what became of them; returns what stopped it. */
  async #send(run?: OpenRun): Promise<RecPushError | undefined> {
    const { input, overtaken } = this.#decided;
    const { control } = this.#pushing;
    const notesKeys = run !== undefined && this.#hasUnsentOlder(run);
    this.#chunks = this.#select(run)[Symbol.asyncIterator]();
    try {
      const failure = this.#hasRecords(run) ? await this.#sendRecords(run, notesKeys) : undefined;
      // The invalid and the overtaken rows after the place where sending stopped are reported too.
      const isEnough = (): boolean =>
        control.abort.aborted ||
        (overtaken === undefined && this.#rejectedRows >= input.report.counts.invalid);
      return await andCleanUp(async () => {
        while (!isEnough() && (await this.#next(run)) !== undefined);
      }, failure);
    } finally {
      await this.#chunks.return?.();
    }
  }

  /**
   * True if rows of an older run may be sent after this one: it is resumed, or its rejects are mended. Keys that failed in
   * this command's own runs are held back anyway.
   */
  #hasUnsentOlder({ account }: OpenRun): boolean {
    const { request, unmended, tally } = this.#pushing;
    const { openRuns, runs } = tally;
    if (request.keeping?.shard !== undefined) return false;
    return account.facts.olderRuns.some(
      (run) => unmended.has(run) || (openRuns.has(run) && !runs.includes(run)),
    );
  }

  /** The chunks of the input, with only the records that are to be sent now. */
  #select(run: OpenRun | undefined): AsyncIterable<SelectedChunk> {
    const { input, at, answer, overtaken } = this.#decided;
    const { ends, makers, request } = this.#pushing;
    const account = run?.account;
    const isCreated = account?.facts.createdBy !== undefined;
    const whyLeftOut = isCreated ? () => "created" as const : answer?.whyLeftOut;
    ends.whyLeftOut.set(at, whyLeftOut);
    return stream(input, {
      read: request.read,
      chunks: makers.chunks(input),
      states: account !== undefined && account.settled > 0 ? account : undefined,
      isOvertaken: overtaken?.isOvertaken,
      whyLeftOut,
    });
  }

  /** False if the survey proves that nothing is left to be sent. */
  #hasRecords(run: OpenRun | undefined): boolean {
    const { counts } = this.#decided.input.report;
    const isUpdatesOnly = run?.account.facts.createdBy !== undefined;
    const records = counts.updates + (isUpdatesOnly ? 0 : counts.creates);
    return records > (run === undefined ? 0 : run.account.settled + run.account.leftOut);
  }

  /** The next chunk, once its rows are reported; updates that later runs overtook count as skipped. */
  async #next(run: OpenRun | undefined): Promise<SelectedChunk | undefined> {
    const { control, tally } = this.#pushing;
    const { value: chunk, done } = await this.#chunks!.next();
    if (done === true) return undefined;
    this.#rejectedRows += chunk.rejected.length;
    for (const { problems } of chunk.rejected)
      for (const problem of problems) control.emit(rejectEvent(this.#file, problem));
    const passed = chunk.leftOut.flatMap(({ record, why }) => (why === "overtaken" ? record.ordinal : []));
    run?.passOver(passed);
    tally.move("skipped", passed.length);
    await control.caughtUp?.();
    return chunk;
  }

  /** The records to be sent. Leaving the loop early does not end the chunks. */
  async *#records(run: OpenRun | undefined, notesKeys: boolean): AsyncGenerator<RecordList> {
    for (let chunk = await this.#next(run); chunk !== undefined; chunk = await this.#next(run)) {
      if (notesKeys) await run?.noteKeys(chunk.records);
      if (chunk.records.length > 0) yield chunk.records;
    }
  }

  async #sendRecords(run: OpenRun | undefined, notesKeys: boolean): Promise<RecPushError | undefined> {
    const { input, form } = this.#decided;
    const { openSession, tally, control } = this.#pushing;
    const { drain, abort, emit, caughtUp } = control;
    const session = await openSession();
    const isDistinct = hasDistinctKeys(input.report.counts);
    const tellProgress = (): void => {
      const { read, notSent } = tally;
      emit({ event: "progress", settledRows: read - notSent, totalRows: read });
    };
    tellProgress();
    const { failure } = await session.send(this.#records(run, notesKeys), {
      hasDistinctKeys: isDistinct,
      drain,
      abort,
      onWaiting: ({ forMs: ms, why: reason, isAsked }) => emit({ event: "waiting", ms, reason, isAsked }),
      onSettled: async (settled) => {
        await this.#settle(settled, run);
        tellProgress();
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
   * The only reader of outcomes: it passes them to files, counts and events once the journal holds them. Throws if the journal
   * accepts nothing more.
   */
  async #settle(settled: Settled, run: OpenRun | undefined): Promise<void> {
    run?.settle(settled);
    const { tally, ends, control } = this.#pushing;
    const { records, outcome } = settled;
    tally.settle(settled);
    ends.add(this.#decided.at, { ...settled, ordinals: ordinalsOf(records) });
    control.emit(batchEvent(this.#file, settled));
    for (const { line } of outcome === "refused" ? records : [])
      control.emit({ event: "reject", file: this.#file, line, reason: describeRefusal(settled) });
    await ends.settle();
  }
}

/** The event for records that one request settled. */
function batchEvent(file: string, { batch, kind, records, ...settled }: Settled): BatchEvent {
  const first = { file, line: records.at(0)!.line };
  const last = { file, line: records.at(-1)!.line };
  const { length: rows } = records;
  return { event: "batch", batch, kind, rows, first, last, ...settled, status: settled.status ?? null };
}
