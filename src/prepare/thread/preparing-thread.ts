import { Worker } from "node:worker_threads";
import { ByteMemory } from "../../model/byte-memory.ts";
import { RecPushError } from "../../model/failure.ts";
import { headBytes, unpackChunk, type PreparedChunk } from "../packed-chunk.ts";
import { PLACES } from "../packed-records.ts";
import { KeptBytes, type KeptFile } from "./kept-bytes.ts";
import type { FailureData, FromThread, PrepareJob, ToThread } from "./prepare-job.ts";
import { THREAD_CODE } from "./thread-code.ts";

/** Where a chunk is kept. */
type KeptPlace = Extract<FromThread, { kind: "kept" }>;

/** Chunks that the thread may hand over before they are taken. */
const MOST_AHEAD = 4;

/** Its objects are short-lived; a larger young generation only raises memory. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** Starts a thread for {@link PreparingThread}; its code exists in the built program only. */
export function startWorker(): Worker {
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
