import { readSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import type { PlanParts } from "../../fields/record/field-plan.ts";
import { ByteMemory } from "../../model/byte-memory.ts";
import { RecPushError } from "../../model/failure.ts";
import type { RecordText } from "../../model/settlement.ts";
import { headBytes, PLACES, type PreparedChunk, unpackChunk } from "../leave-totals-out.ts";
import type { PlannedInput, PrepareOptions } from "../prepare-records.ts";
import {
  type FailureData,
  type FromThread,
  jobOf,
  type PrepareJob,
  type SpillRoom,
  type ToThread,
} from "./outlet.ts";
import { THREAD_CODE } from "./thread-code.ts";

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

/** Where a chunk is kept. */
type KeptPlace = Extract<FromThread, { kind: "kept" }>;

/** Chunks that the thread may hand over before they are taken. */
const MOST_AHEAD = 4;

/** Its objects are short-lived; a larger young generation only raises memory. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** Starts a thread for {@link PreparingThread}; its code exists in the built program only. */
function startWorker(): Worker {
  const { code, isText } = THREAD_CODE!;
  return new Worker(code, { eval: isText, resourceLimits: LIMITS });
}

/** A thread that makes the records of an input. */
export class PreparingThread {
  #job: PrepareJob | undefined;
  #file: KeptFile | undefined;
  readonly #worker: Worker;
  /** For the numbers of chunks that are kept. */
  readonly #memory = new ByteMemory();
  readonly #messages: FromThread[] = [];
  /** Chunks that the thread was asked for and has not handed over yet. */
  #asked = 0;
  #fault: unknown;
  #keptEnd = 0;
  /** The positions of kept chunks that are not needed any more, and that the thread was not told yet. */
  #freed: number[] = [];
  #hasExited = false;
  /** True after the end, if the worker stays for another job. */
  #isIdle = false;
  #wake: () => void = () => undefined;

  /** `worker`: one that has no job. */
  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (message: FromThread) => {
      if (message.kind === "kept") this.#keptEnd = Math.max(this.#keptEnd, message.end);
      if (message.kind === "end") this.#isIdle = this.#job?.isFollowed === true;
      this.#messages.push(message);
      this.#wake();
    });
    worker.on("error", (error) => {
      this.#fault = error;
      this.#wake();
    });
    worker.on("exit", () => {
      this.#hasExited = true;
      this.#wake();
    });
  }

  get job(): PrepareJob | undefined {
    return this.#job;
  }

  /** True once its job is done: its worker has exited, waits for another job or has one. */
  get hasEnded(): boolean {
    return this.#hasExited || this.#isIdle;
  }

  /** The end of its last chunk in the spill file; 0 if it keeps none. */
  get keptEnd(): number {
    return this.#keptEnd;
  }

  /** True once the thread itself failed, not its input. */
  get isBroken(): boolean {
    return this.#fault !== undefined;
  }

  /** Gives the thread its job; to be called once. `file`: that of the job's spill. */
  begin(job: PrepareJob, file?: KeptFile): void {
    this.#job = job;
    this.#file = file;
    this.#tell(job);
  }

  /**
   * The chunks in file order, to be read before those of {@link chunks}, any number of times; the records of one last
   * until the next is read. `undefined` if not all of them are kept. Resolves once the thread has made them.
   */
  async keptChunks(): Promise<Iterable<PreparedChunk> | undefined> {
    const places: KeptPlace[] = [];
    for (let at = 0; ; at++) {
      while (at >= this.#messages.length) {
        if (this.#fault !== undefined || this.#hasExited) return undefined;
        await this.#wait();
      }
      const message = this.#messages[at]!;
      if (message.kind === "end") return this.#readKept(places);
      if (message.kind !== "kept") return undefined;
      places.push(message);
    }
  }

  /** The chunks in file order; to be read once. Throws what the thread throws. */
  async *chunks(): AsyncGenerator<PreparedChunk> {
    for (;;) {
      const message = await this.#next();
      if (message.kind === "full") continue;
      if (message.kind === "end") return;
      if (message.kind === "failure") throw failureOf(message.failure);
      if (message.kind === "handed") this.#asked -= 1;
      yield this.#take(message);
    }
  }

  /** Gives its worker away if that has no job any more. */
  release(): Worker | undefined {
    if (!this.#isIdle || this.#hasExited) return undefined;
    for (const event of ["message", "error", "exit"]) this.#worker.removeAllListeners(event);
    // For this object it has: it must not end the worker of another.
    this.#hasExited = true;
    return this.#worker;
  }

  /** Ends the thread; after that it touches no file. */
  async stop(): Promise<void> {
    if (!this.#hasExited) await this.#worker.terminate();
  }

  #tell(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  async #next(): Promise<FromThread> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#hasExited) throw new Error("the thread that prepares the records ended unexpectedly");
      for (; this.#asked < MOST_AHEAD; this.#asked++) this.#tell("next");
      await this.#wait();
    }
  }

  /** Resolves when the thread has said or done anything. */
  #wait(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  *#readKept(places: readonly KeptPlace[]): Generator<PreparedChunk> {
    let whole = Buffer.alloc(0);
    for (const { layout, at, end } of places) {
      if (end - at > whole.length) whole = Buffer.allocUnsafeSlow(2 * (end - at));
      const bytes = whole.subarray(0, end - at);
      new KeptBytes(this.#file!, at).copy(bytes, 0, 0, bytes.length);
      yield unpackChunk(layout, bytes, bytes.subarray(headBytes(layout)));
    }
  }

  #take(message: Extract<FromThread, { kind: "kept" | "handed" }>): PreparedChunk {
    const { layout } = message;
    if (message.kind === "handed") {
      const { buffer, byteOffset, byteLength } = message.bytes;
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      const onSettled = (): void => this.#giveBack(buffer as ArrayBuffer);
      return unpackChunk(layout, bytes, bytes.subarray(headBytes(layout)), { onSettled });
    }
    const { at } = message;
    const end = headBytes(layout);
    const placesAt = Math.ceil(end / Float64Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;
    const numbers = layout.records * PLACES;
    const memory = this.#memory.allocate(placesAt + numbers * Float64Array.BYTES_PER_ELEMENT);
    new KeptBytes(this.#file!, at).copy(memory, 0, 0, end);
    return unpackChunk(layout, memory, new KeptBytes(this.#file!, at + end), {
      places: new Float64Array(memory.buffer, placesAt, numbers),
      onSettled: () => {
        this.#memory.giveBack(memory);
        this.#free(at);
      },
    });
  }

  /** Lets the thread use the memory of a chunk again. */
  #giveBack(memory: ArrayBuffer): void {
    if (!this.hasEnded) this.#tell({ memory }, [memory]);
  }

  /** Lets the thread write over a chunk. */
  #free(at: number): void {
    if (this.hasEnded) return;
    if (this.#freed.length === 0) setImmediate(() => this.#tellFreed());
    this.#freed.push(at);
  }

  #tellFreed(): void {
    if (!this.hasEnded) this.#tell({ freed: this.#freed });
    this.#freed = [];
  }
}

function failureOf({ kind, code, message, hint, place }: FailureData): RecPushError {
  return new RecPushError(kind, code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}

/** A longer stretch is not read at once: records far apart are read one by one. */
const MOST_AHEAD_BYTES = 1_048_576;
const FIRST_AHEAD_BYTES = 262_144;

/** The stretch that was read ahead last; one buffer serves all files. */
const ahead = { owner: undefined as KeptBytes | undefined, start: 0, end: 0, bytes: Buffer.alloc(0) };

/** An open file; its descriptor is -1 once it is closed, so that no other file is read in its place. */
export interface KeptFile {
  readonly fd: number;
}

/** Bytes of an open file from a position on, read when they are needed. */
export class KeptBytes implements RecordText {
  readonly #file: KeptFile;
  readonly #at: number;

  constructor(file: KeptFile, at: number) {
    this.#file = file;
    this.#at = at;
  }

  /** Throws a machine error if they cannot be read. */
  copy(target: Buffer, to: number, start: number, end: number): number {
    if (ahead.owner === this && start >= ahead.start && end <= ahead.end)
      return ahead.bytes.copy(target, to, start - ahead.start, end - ahead.start);
    this.#readAll(target, to, start, end);
    return end - start;
  }

  /** Reads a stretch with one system call; a call for each piece takes ten times as long as copying it. */
  readAhead(start: number, end: number): void {
    const bytes = end - start;
    if (bytes > MOST_AHEAD_BYTES) return;
    ahead.owner = undefined;
    if (bytes > ahead.bytes.length)
      ahead.bytes = Buffer.allocUnsafeSlow(
        Math.max(FIRST_AHEAD_BYTES, Math.min(2 * bytes, MOST_AHEAD_BYTES)),
      );
    this.#readAll(ahead.bytes, 0, start, end);
    Object.assign(ahead, { owner: this, start, end });
  }

  #readAll(target: Buffer, to: number, start: number, end: number): void {
    for (let done = 0; done < end - start;) {
      done += this.#read(target, to + done, end - start - done, this.#at + start + done);
    }
  }

  // Bytes just written are in memory: reading them through another thread takes ten times as long.
  #read(target: Buffer, to: number, length: number, position: number): number {
    let read = 0;
    let cause: unknown;
    try {
      read = readSync(this.#file.fd, target, to, length, position);
    } catch (error) {
      cause = error;
    }
    if (read > 0) return read;
    const why = cause instanceof Error ? cause.message : "it ends too early";
    throw new RecPushError("machine", "records-lost", `the file of prepared records cannot be read: ${why}`, {
      hint: "run the command again",
      cause,
    });
  }
}
