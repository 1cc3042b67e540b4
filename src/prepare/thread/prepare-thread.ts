import { writeSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { readConstants } from "../../fields/record/constant-values.ts";
import { buildPlan } from "../../fields/record/field-plan.ts";
import { RecPushError } from "../../model/failure.ts";
import { fileSource } from "../../read/source/file-source.ts";
import type { PackedChunk } from "../packed-chunk.ts";
import { packRecords } from "../prepare-records.ts";
import type { FromThread, PrepareJob, SpillFile, ToThread } from "./prepare-job.ts";

// The second pass in a thread of its own: rows in, packed records out.
const port = parentPort;
if (port === null) throw new Error("this file runs in a thread of its own");

/** How many chunks of the job were asked for and not handed over yet. */
const demand = { wanted: 0, wake: (): void => undefined };
let begin: (job: PrepareJob) => void;
let nextJob = expectJob();

port.on("message", (message: ToThread) => {
  if (message === "next") demand.wanted += 1;
  else {
    // What was asked for before was of another job.
    demand.wanted = 0;
    begin(message);
  }
  demand.wake();
});

function expectJob(): Promise<PrepareJob> {
  return new Promise((resolve) => (begin = resolve));
}

function say(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  port!.postMessage(message, [...transfer]);
}

/** Keeps chunks in the spill file until one is asked for, and from then on hands them over on request. */
class Outlet {
  readonly #spill: SpillFile | undefined;
  #isKeeping: boolean;
  /** The end of what is in the spill file. */
  #end: number;
  #scratch = Buffer.alloc(0);

  constructor(spill: SpillFile | undefined) {
    this.#spill = spill;
    this.#isKeeping = spill !== undefined;
    this.#end = spill?.from ?? 0;
  }

  /** Chunks that are kept share one buffer; those that are handed over have their own. */
  readonly allocate = (bytes: number): Buffer => {
    this.#isKeeping &&= demand.wanted === 0;
    if (!this.#isKeeping) return Buffer.allocUnsafeSlow(bytes);
    if (bytes > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(bytes * 2);
    return this.#scratch.subarray(0, bytes);
  };

  /** Resolves when there is room for another. */
  async put({ layout, bytes }: PackedChunk): Promise<void> {
    const isShared = bytes.buffer === this.#scratch.buffer;
    if (this.#isKeeping) {
      this.#isKeeping = this.#keep({ layout, bytes });
      if (this.#isKeeping) return;
      say({ kind: "full" });
    }
    const own = isShared ? copyOf(bytes) : bytes;
    while (demand.wanted === 0) await new Promise<void>((resolve) => (demand.wake = resolve));
    demand.wanted -= 1;
    say({ kind: "handed", layout, bytes: own }, [own.buffer as ArrayBuffer]);
  }

  /** Keeps a chunk; false if there is no room. */
  #keep({ layout, bytes }: PackedChunk): boolean {
    const { fd, maxBytes } = this.#spill!;
    const at = this.#end;
    const end = at + bytes.length;
    if (end > maxBytes) return false;
    try {
      writeAll(fd, bytes, at);
    } catch {
      return false;
    }
    say({ kind: "kept", layout, at, end });
    this.#end = end;
    return true;
  }
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

async function prepare({ file, inspection, parts, options, spill }: PrepareJob): Promise<void> {
  const plan = buildPlan(parts, readConstants(parts.options));
  const outlet = new Outlet(spill);
  const input = { source: await fileSource(file), inspection, plan };
  for await (const chunk of packRecords(input, options, outlet.allocate)) await outlet.put(chunk);
}

async function work(): Promise<void> {
  try {
    for (let isFollowed = true; isFollowed;) {
      const job = await nextJob;
      nextJob = expectJob();
      await prepare(job);
      say({ kind: "end" });
      ({ isFollowed } = job);
    }
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { kind, code, message, hint, place } = error;
    say({ kind: "failure", failure: { kind, code, message, hint, place } });
  } finally {
    port!.close();
  }
}

// Not awaited at the top, which CommonJS does not know; what it throws ends the thread with an error.
void work();
