import { Worker } from "node:worker_threads";
import { RecPushError } from "../../model/failure.ts";
import type { PreparedRecord } from "../../model/record.ts";
import type { RowProblem } from "../../model/row.ts";
import type { RowCount } from "../stream-records.ts";
import { KeptBytes } from "./kept-bytes.ts";
import { headBytes, unpackStretch, type Stretch } from "./pack-records.ts";
import type { CountedRows, FailureData, FromThread, PrepareJob, ToThread } from "./prepare-job.ts";

/** Stretches that the thread may hand over before they are taken. */
const MOST_AHEAD = 4;

/** What the thread makes dies young: room for more would only keep it. */
const LIMITS = { maxYoungGenerationSizeMb: 24 };

/** The thread beside this one that makes the records of an input; its file stands there in the built program only. */
export class PreparingThread {
  #job: PrepareJob | undefined;
  readonly #worker: Worker;
  readonly #messages: FromThread[] = [];
  /** Stretches that the thread may hand over and has not. */
  #asked = 0;
  #fault: unknown;
  #hasExited = false;
  #wake: () => void = () => undefined;

  constructor() {
    const file = new URL("./prepare-thread.js", import.meta.url);
    this.#worker = new Worker(file, { resourceLimits: LIMITS });
    this.#worker.on("message", (message: FromThread) => {
      this.#messages.push(message);
      this.#wake();
    });
    this.#worker.on("error", (error) => {
      this.#fault = error;
      this.#wake();
    });
    this.#worker.on("exit", () => {
      this.#hasExited = true;
      this.#wake();
    });
  }

  get job(): PrepareJob | undefined {
    return this.#job;
  }

  /** True once it failed of itself, not on its input. */
  get isBroken(): boolean {
    return this.#fault !== undefined;
  }

  /** Gives it its job, once. */
  begin(job: PrepareJob): void {
    this.#job = job;
    this.#tell(job);
  }

  /**
   * The records in file order, once; the problems of rows are handed to `onReject`, rows that were not surveyed are
   * counted. Throws what the thread throws.
   */
  async *records(
    tally: RowCount,
    onReject: (problem: RowProblem) => void,
  ): AsyncGenerator<readonly PreparedRecord[]> {
    for (;;) {
      const message = await this.#next();
      if (message.kind === "end") return;
      if (message.kind === "failure") throw failureOf(message.failure);
      if (message.kind === "handed") this.#asked -= 1;
      const { records, problems } = this.#take(message);
      count(message.counted, tally);
      problems.forEach(onReject);
      yield records;
    }
  }

  /** Ends the thread; afterwards it touches no file. */
  async stop(): Promise<void> {
    if (!this.#hasExited) await this.#worker.terminate();
  }

  #tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  async #next(): Promise<FromThread> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#hasExited) throw new Error("the thread that prepares the records ended without a word");
      for (; this.#asked < MOST_AHEAD; this.#asked++) this.#tell("next");
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #take(message: Exclude<FromThread, { kind: "end" | "failure" }>): Stretch {
    const { layout } = message;
    if (message.kind === "handed") {
      const { buffer, byteOffset, byteLength } = message.bytes;
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      return unpackStretch(layout, bytes, bytes.subarray(headBytes(layout)));
    }
    const kept = new KeptBytes(this.#job!.room!.fd, message.at);
    const head = Buffer.allocUnsafeSlow(headBytes(layout));
    kept.copy(head, 0, 0, head.length);
    return unpackStretch(layout, head, new KeptBytes(kept.fd, message.at + head.length));
  }
}

function count({ read, skipped, rejected }: CountedRows, tally: RowCount): void {
  tally.addRead(read);
  tally.move("skipped", skipped);
  tally.move("rejected", rejected);
}

function failureOf({ kind, code, message, hint, place }: FailureData): RecPushError {
  return new RecPushError(kind, code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}
