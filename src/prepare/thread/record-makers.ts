import { on } from "node:events";
import { availableParallelism } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import type { PlanParts } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import type { InspectionSoFar } from "../../read/inspect-source.ts";
import { type BlockKey, ProofCheck } from "../../read/source/block-proof.ts";
import type { OpenFile } from "../../read/source/open-source.ts";
import type { Source } from "../../read/source/source.ts";
import type { LikelyInput, LikelyListener } from "../../survey/survey-input.ts";
import { type PackedLayout, type PreparedChunk, unpackChunk } from "../packed-chunk.ts";
import { type PlannedInput, type PrepareOptions, prepareRecords } from "../prepare-records.ts";
import { THREAD_CODE } from "./thread-code.ts";

/** So many chunks are made before they are asked for. */
const CHUNKS_AHEAD = 4;
/** The same before the survey is done; together they take some tens of megabytes. */
const CHUNKS_EARLY = 48;
/** A smaller input is done before a thread has started. */
const WORTH_A_THREAD_BYTES = 4 * 1024 * 1024;
/** Its objects are short-lived; a larger young generation only raises memory. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** What a thread needs to make records. Plain data. */
export interface PrepareJob {
  readonly file: OpenFile;
  readonly soFar: InspectionSoFar;
  readonly blocks: BlockKey;
  readonly parts: PlanParts;
  readonly options: PrepareOptions;
}

/** Messages of the thread, each with the codes of the blocks that it read before. */
export type FromThread = { readonly codes: Uint8Array } & (
  | { readonly kind: "chunk"; readonly layout: PackedLayout; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData }
);

/** Messages to the thread: one more chunk may be made; the memory of a chunk whose records are all settled. */
export type ToThread = "next" | { readonly memory: ArrayBuffer };

/** A {@link RecPushError} as plain data. */
type FailureData = Pick<RecPushError, "kind" | "code" | "message" | "hint" | "place">;

/** A thread at work. */
interface Thread {
  readonly worker: Worker;
  readonly job: PrepareJob;
  readonly messages: AsyncIterable<[FromThread]>;
  /** How many chunks it was asked for that have not come. */
  readonly asked: number;
}

/** Makes the records of a command's inputs, each in a thread of its own where that is worth it. */
export class RecordMakers implements LikelyListener {
  readonly #options: PrepareOptions;
  readonly #workers = new Set<Worker>();
  /** Makes the records of an input that is still surveyed. */
  #early: Thread | undefined;

  constructor(options: PrepareOptions) {
    this.#options = options;
  }

  isWanted(source: Source): boolean {
    return this.#early === undefined && isWorthAThread(source);
  }

  /** Begins to make the records of an input before it is surveyed; {@link chunks} begins again if the survey found otherwise. */
  begin(likely: LikelyInput): void {
    this.#early = this.#start(jobOf(likely, this.#options), CHUNKS_EARLY);
  }

  /** The chunks of an input, to be read once; `createsOnly`: see {@link PrepareOptions}. Throws what the second pass throws. */
  chunks(input: PlannedInput, createsOnly = false): AsyncIterable<PreparedChunk> {
    const options = { ...this.#options, createsOnly };
    const isWorthIt = input.part === undefined && isWorthAThread(input.source);
    return isWorthIt ? this.#chunksOfThread(input, options) : prepareRecords(input, options);
  }

  /** Ends the threads; after that they touch no file. */
  async close(): Promise<void> {
    for (const worker of this.#workers) await worker.terminate();
  }

  async *#chunksOfThread(input: PlannedInput, options: PrepareOptions): AsyncGenerator<PreparedChunk> {
    const { source, inspection, plan } = input;
    const job = jobOf({ source, soFar: inspection, blocks: inspection.proof, plan }, options);
    const thread = (await this.#takeEarly(job)) ?? this.#start(job, CHUNKS_AHEAD);
    try {
      yield* readChunks(thread, new ProofCheck(inspection.proof, source.name));
    } finally {
      await this.#end(thread);
    }
  }

  /** The thread that does this job already; one that does it otherwise is ended. */
  async #takeEarly(job: PrepareJob): Promise<Thread | undefined> {
    const early = this.#early;
    if (early?.job.file.fd !== job.file.fd || job.options.createsOnly === true) return undefined;
    this.#early = undefined;
    if (isDeepStrictEqual(early.job, job)) return early;
    await this.#end(early);
    return undefined;
  }

  #start(job: PrepareJob, asked: number): Thread {
    const { code, isText } = THREAD_CODE!;
    // Options of the process, such as --input-type for code given with -e, are not the thread's.
    const how = { eval: isText, execArgv: [], resourceLimits: LIMITS };
    const worker = new Worker(code, { ...how, workerData: job });
    this.#workers.add(worker);
    for (let chunk = 0; chunk < asked; chunk++) worker.postMessage("next" satisfies ToThread);
    return { worker, job, messages: messagesOf(worker), asked };
  }

  async #end({ worker }: Thread): Promise<void> {
    await worker.terminate();
    this.#workers.delete(worker);
  }
}

/** What a thread says, also before somebody listens. */
export function messagesOf(worker: NodeJS.EventEmitter): Thread["messages"] {
  return on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromThread]>;
}

/** The chunks that a thread makes, and the failure that ends it. Throws an input error for content that is not what was inspected. */
export async function* readChunks(
  thread: Pick<Thread, "messages" | "asked"> & { readonly worker: Pick<Worker, "postMessage"> },
  check: ProofCheck,
): AsyncGenerator<PreparedChunk> {
  const tell = (message: ToThread, transfer: readonly ArrayBuffer[] = []): void =>
    thread.worker.postMessage(message, [...transfer]);
  let { asked } = thread;
  for await (const [message] of thread.messages) {
    check.take(message.codes);
    if (message.kind === "failure") throw failureOf(message.failure);
    if (message.kind === "end") return check.end();
    asked -= 1;
    for (; asked < CHUNKS_AHEAD; asked++) tell("next");
    const { buffer, byteOffset, byteLength } = message.bytes;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    const onSettled = (): void => tell({ memory: buffer as ArrayBuffer }, [buffer as ArrayBuffer]);
    yield unpackChunk({ layout: message.layout, bytes }, onSettled);
  }
  throw new Error("the thread that prepares the records ended unexpectedly");
}

function failureOf({ kind, code, message, hint, place }: FailureData): RecPushError {
  return new RecPushError(kind, code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}

function jobOf({ source, soFar, blocks, plan }: LikelyInput, options: PrepareOptions): PrepareJob {
  const { fd, name, bytes } = source;
  // A function cannot be passed to another thread, and the header has been found already.
  const { isKnownHeader: _, ...read } = options.read;
  const { createsOnly = false } = options;
  const { file, format, encoding, dialect, jsonPath, columns, headerless } = soFar.reading;
  const reading = { file, format, encoding, columns, headerless, notices: [], pins: [] };
  return {
    file: { fd: fd!, name, bytes },
    soFar: {
      reading: { ...reading, ...(dialect && { dialect }), ...(jsonPath === undefined ? {} : { jsonPath }) },
      surplus: soFar.surplus,
    },
    blocks: { blockBytes: blocks.blockBytes, key: blocks.key },
    parts: plan.parts,
    options: { read, createsOnly },
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
