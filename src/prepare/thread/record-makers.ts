import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { Source } from "../../read/source/source.ts";
import type { SurveyProgress } from "../../survey/survey-input.ts";
import type { PreparedChunk } from "../leave-totals-out.ts";
import { type PlannedInput, type PrepareOptions, prepareRecords } from "../prepare-records.ts";
import { SpillRoom } from "./outlet.ts";
import type { RecordMaker } from "./record-maker.ts";
import { THREAD_CODE } from "./thread-code.ts";

/** Makes the records of a command's inputs, in threads where they are worth it. */
export class RecordMakers {
  readonly #room: SpillRoom;
  readonly #options: PrepareOptions;
  readonly #makers = new Map<Source, RecordMaker>();
  /** The last input that is worth a thread, if that is known. */
  #last: Source | undefined;
  #closing: Promise<void> | undefined;

  /** `directory` is private and outlives this object. */
  constructor(directory: string, options: PrepareOptions) {
    this.#room = new SpillRoom(directory);
    this.#options = options;
  }

  /** Starts the thread while the first input is being inspected. */
  async expect(sources: readonly Source[]): Promise<void> {
    const [first] = sources;
    this.#last = sources.findLast(isWorthAThread);
    if (first !== undefined && isWorthAThread(first)) await this.#makerOf(first);
  }

  /** To be called between the chunks of a survey. */
  async maybeStart({ source, inspection, rows, partsSoFar }: SurveyProgress): Promise<void> {
    const maker = this.#makers.get(source) ?? (await this.#nextMaker(source));
    await maker?.maybeBegin(rows, partsSoFar, { source, inspection }, this.#options);
  }

  /**
   * The chunks of an input that a thread has made and kept, to be read before those of {@link chunks}, any number of
   * times; the records of one last until the next is read. `undefined` if not all of them are kept.
   */
  async keptChunks(input: PlannedInput): Promise<Iterable<PreparedChunk> | undefined> {
    return this.#makers.get(input.source)?.keptChunks(input, this.#options);
  }

  /** The chunks of an input, to be read once. */
  async chunks(input: PlannedInput): Promise<AsyncIterable<PreparedChunk>> {
    // The other processor is for another shard.
    const isWorthIt = input.part === undefined && isWorthAThread(input.source);
    const maker = isWorthIt ? await this.#makerOf(input.source) : undefined;
    return (await maker?.chunks(input, this.#options)) ?? prepareRecords(input, this.#options);
  }

  /** Begins to free the disk, which takes a while; to be called once no record will be read any more. */
  release(): void {
    // What goes wrong is for `close`.
    this.close().catch(() => undefined);
  }

  /** Ends the threads and frees the disk. */
  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    for (const maker of this.#makers.values()) await maker.close();
    await this.#room.close();
  }

  /** One for a further input once no thread is at work on those before: memory stays that of a single input. */
  async #nextMaker(source: Source): Promise<RecordMaker | undefined> {
    const before = [...this.#makers.values()];
    if (!isWorthAThread(source) || before.some(({ hasEnded }) => !hasEnded)) return undefined;
    for (const { keptEnd } of before) this.#room.keep(keptEnd);
    return this.#makerOf(source);
  }

  async #makerOf(source: Source): Promise<RecordMaker> {
    const known = this.#makers.get(source);
    if (known !== undefined) return known;
    const { RecordMaker } = await import("./record-maker.ts");
    const maker = new RecordMaker(
      this.#room,
      this.#idleWorker(),
      this.#last !== undefined && source !== this.#last,
    );
    this.#makers.set(source, maker);
    return maker;
  }

  /** A worker whose input is done: it has compiled what the next one needs. */
  #idleWorker(): Worker | undefined {
    for (const maker of this.#makers.values()) {
      const worker = maker.release();
      if (worker !== undefined) return worker;
    }
    return undefined;
  }
}

/** A smaller input is done before a thread has started. */
const WORTH_A_THREAD_BYTES = 4 * 1024 * 1024;

/** True for an input that is large enough, on a machine that can do two things at once. */
function isWorthAThread({ bytes, fd }: Source): boolean {
  return (
    THREAD_CODE !== undefined &&
    fd !== undefined &&
    bytes >= WORTH_A_THREAD_BYTES &&
    availableParallelism() > 1
  );
}
