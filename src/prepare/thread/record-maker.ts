import { isDeepStrictEqual } from "node:util";
import type { Worker } from "node:worker_threads";
import type { PlanParts } from "../../fields/record/field-plan.ts";
import type { PreparedChunk } from "../packed-chunk.ts";
import type { PlannedInput, PrepareOptions } from "../prepare-records.ts";
import { jobOf, type PrepareJob } from "./prepare-job.ts";
import type { KeptFile } from "./kept-bytes.ts";
import { PreparingThread, startWorker } from "./preparing-thread.ts";
import type { SpillRoom } from "./spill-room.ts";

/** The formats settled so far are examined after this many rows, and after each doubling of their number. */
const FIRST_LOOK_ROWS = 1;

/**
 * Makes the records of an input in a thread of its own, if wanted while the survey is still running: it then uses the
 * formats that the rows so far have settled, and the result counts only if the survey settles the same formats for
 * all rows.
 */
export class RecordMaker {
  readonly #room: SpillRoom;
  readonly #isFollowed: boolean;
  #thread: PreparingThread;
  #nextLook = FIRST_LOOK_ROWS;

  /** `worker`: one that has no job; `isFollowed`: another input may need it afterwards. */
  constructor(room: SpillRoom, worker: Worker | undefined, isFollowed: boolean) {
    this.#room = room;
    this.#thread = new PreparingThread(worker ?? startWorker());
    this.#isFollowed = isFollowed;
  }

  /** True once its thread has done all that it can do before the records are sent. */
  get hasEnded(): boolean {
    return this.#thread.hasEnded;
  }

  /** Gives the worker of its thread away if that has no job any more. */
  release(): Worker | undefined {
    return this.#thread.release();
  }

  /** The end of its records in the room; 0 if none are kept there. */
  get keptEnd(): number {
    return this.#thread.keptEnd;
  }

  /** Starts, or starts again if the survey has come to other formats. To be called between the survey's chunks. */
  async maybeBegin(
    rows: number,
    partsSoFar: () => PlanParts | undefined,
    input: Omit<PlannedInput, "plan">,
    options: PrepareOptions,
  ): Promise<void> {
    if (rows < this.#nextLook) return;
    this.#nextLook *= 2;
    const parts = partsSoFar();
    if (parts === undefined) return;
    const job = jobOf(input, parts, options);
    if (this.#isDoing(job)) return;
    if (this.#thread.job !== undefined) await this.#startAnew();
    const free = await this.#room.free();
    if (free !== undefined) this.#begin({ ...job, spill: free.spill }, free.file);
  }

  /** The records of an input, to be read before those of {@link chunks}; `undefined` if they are not kept. */
  async keptChunks(
    input: PlannedInput,
    options: PrepareOptions,
  ): Promise<Iterable<PreparedChunk> | undefined> {
    return this.#isDoing(jobOf(input, input.plan.parts, options)) ? this.#thread.keptChunks() : undefined;
  }

  /** The records of an input, to be read once; `undefined` if the thread cannot make them. */
  async chunks(
    input: PlannedInput,
    options: PrepareOptions,
  ): Promise<AsyncIterable<PreparedChunk> | undefined> {
    const job = jobOf(input, input.plan.parts, options);
    if (!this.#isDoing(job) && this.#thread.job !== undefined) await this.#startAnew();
    if (this.#thread.isBroken) return undefined;
    if (this.#thread.job === undefined) this.#begin(job);
    return this.#thread.chunks();
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#thread.stop();
  }

  #begin(job: Omit<PrepareJob, "isFollowed">, file?: KeptFile): void {
    this.#thread.begin({ ...job, isFollowed: this.#isFollowed }, file);
  }

  #isDoing({ parts, options, inspection: { reading, proof } }: Omit<PrepareJob, "isFollowed">): boolean {
    const { job } = this.#thread;
    return (
      isDeepStrictEqual(job?.parts, parts) &&
      isDeepStrictEqual(job?.options, options) &&
      // What was begun with the first bytes is wrong if the rest of them made it another content.
      job?.inspection.reading.encoding === reading.encoding &&
      isDeepStrictEqual(job.inspection.proof.key, proof.key)
    );
  }

  async #startAnew(): Promise<void> {
    await this.#thread.stop();
    this.#thread = new PreparingThread(startWorker());
  }
}
