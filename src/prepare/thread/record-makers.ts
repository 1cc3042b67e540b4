import { on } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { FieldPlan, PlanParts } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import type { Source, StoredFile } from "../../read/source/source.ts";
import { type PackedChunk, type PreparedChunk, unpackChunk } from "../packed-chunk.ts";
import { type PlannedInput, type PrepareOptions, prepareRecords } from "../prepare-records.ts";
import { THREAD_CODE } from "./thread-code.ts";

/** So many chunks are made before they are asked for. */
const CHUNKS_AHEAD = 4;
/** A smaller input is done before a thread has started. */
const WORTH_A_THREAD_BYTES = 4 * 1024 * 1024;
/** Its objects are short-lived; a larger young generation only raises memory. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** What a thread needs to make records. Plain data. */
export interface PrepareJob {
  readonly file: Pick<StoredFile, "fd" | "name" | "bytes">;
  readonly inspection: PlannedInput["inspection"];
  readonly parts: PlanParts;
  readonly suspects: FieldPlan["suspects"];
  readonly options: PrepareOptions;
}

/** Messages of the thread. */
export type FromThread =
  | { readonly kind: "chunk"; readonly chunk: PackedChunk }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData };

/** A {@link RecPushError} as plain data. */
type FailureData = Pick<RecPushError, "code" | "message" | "hint" | "place">;

/** Makes the records of a command's inputs, each in a thread of its own where that is worth it. */
export class RecordMakers {
  readonly #options: PrepareOptions;
  readonly #workers = new Set<Worker>();

  constructor(options: PrepareOptions) {
    this.#options = options;
  }

  /** The chunks of an input, to be read once; `createsOnly`: see {@link PrepareOptions}. Throws what the second pass throws. */
  chunks(input: PlannedInput, createsOnly = false): AsyncIterable<PreparedChunk> {
    const options = { ...this.#options, createsOnly };
    const isWorthIt = input.part === undefined && isWorthAThread(input.source);
    return isWorthIt ? this.#chunksOfThread(jobOf(input, options)) : prepareRecords(input, options);
  }

  /** Ends the threads; after that they touch no file. */
  async close(): Promise<void> {
    for (const worker of this.#workers) await worker.terminate();
  }

  async *#chunksOfThread(job: PrepareJob): AsyncGenerator<PreparedChunk> {
    const { code, isText } = THREAD_CODE!;
    // The options of the process, such as --input-type for code given with -e, do not apply to the thread.
    const how = { eval: isText, execArgv: [], resourceLimits: LIMITS };
    const worker = new Worker(code, { ...how, workerData: job });
    this.#workers.add(worker);
    try {
      yield* readChunks(worker);
    } finally {
      await worker.terminate();
      this.#workers.delete(worker);
    }
  }
}

/** The chunks that a thread makes, and the failure that ends it. */
export async function* readChunks(
  worker: Pick<Worker, "postMessage"> & NodeJS.EventEmitter,
): AsyncGenerator<PreparedChunk> {
  for (let chunk = 0; chunk < CHUNKS_AHEAD; chunk++) worker.postMessage("next");
  for await (const [message] of on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromThread]>) {
    if (message.kind === "end") return;
    if (message.kind === "failure") throw failureOf(message.failure);
    worker.postMessage("next");
    yield unpackChunk(message.chunk);
  }
  throw new Error("the thread that prepares the records ended unexpectedly");
}

function failureOf({ code, message, hint, place }: FailureData): RecPushError {
  return new RecPushError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}

function jobOf({ source, inspection, plan }: PlannedInput, options: PrepareOptions): PrepareJob {
  const { fd, name, bytes } = source;
  // A function cannot be passed to another thread, and the header has been found already.
  const { isKnownHeader: _, ...read } = options.read;
  return {
    file: { fd: fd!, name, bytes },
    inspection,
    parts: plan.parts,
    suspects: plan.suspects,
    options: { ...options, read },
  };
}

/** True for an input that is large enough, on a machine that can do two things at once. */
function isWorthAThread({ bytes, fd }: Source): boolean {
  return (
    THREAD_CODE !== undefined &&
    fd !== undefined &&
    bytes >= WORTH_A_THREAD_BYTES &&
    availableParallelism() > 1
  );
}
