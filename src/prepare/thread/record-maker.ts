import { randomBytes } from "node:crypto";
import { open, rm, statfs, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlanParts } from "../../fields/record/field-plan.ts";
import type { PreparedChunk } from "../packed-chunk.ts";
import type { PlannedInput, PrepareOptions } from "../prepare-records.ts";
import { jobOf, type PrepareJob, type SpillFile } from "./prepare-job.ts";
import { PreparingThread } from "./preparing-thread.ts";

/** The formats settled so far are examined after this many rows, and after each doubling of their number. */
const FIRST_LOOK_ROWS = 1;

const MOST_SPILL_BYTES = 1024 ** 3;
/** The share of the free space that records may take. */
const SHARE_OF_FREE = 0.25;

/**
 * Makes the records of an input in a thread of its own, if wanted while the survey is still running: it then uses the
 * formats that the rows so far have settled, and the result counts only if the survey settles the same formats for
 * all rows.
 */
export class RecordMaker {
  readonly #directory: string;
  #handle: FileHandle | undefined;
  #maxBytes = 0;
  #thread = new PreparingThread();
  #nextLook = FIRST_LOOK_ROWS;

  /** `directory` is private and outlives this object. */
  constructor(directory: string) {
    this.#directory = directory;
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
    const spill = await this.#openSpill();
    if (spill !== undefined) this.#thread.begin({ ...job, spill });
  }

  /** The records of an input, to be read once; `undefined` if the thread cannot make them. */
  async chunks(
    input: PlannedInput,
    options: PrepareOptions,
  ): Promise<AsyncIterable<PreparedChunk> | undefined> {
    const job = jobOf(input, input.plan.parts, options);
    if (!this.#isDoing(job) && this.#thread.job !== undefined) await this.#startAnew();
    if (this.#thread.isBroken) return undefined;
    if (this.#thread.job === undefined) this.#thread.begin(job);
    return this.#thread.chunks();
  }

  /** Ends the thread and frees the disk. */
  async close(): Promise<void> {
    await this.#thread.stop();
    await this.#handle?.close();
  }

  #isDoing({ parts, options }: PrepareJob): boolean {
    const { job } = this.#thread;
    return isDeepStrictEqual(job?.parts, parts) && isDeepStrictEqual(job?.options, options);
  }

  async #startAnew(): Promise<void> {
    await this.#thread.stop();
    this.#thread = new PreparingThread();
  }

  /** `undefined` if there is none. The file no longer has a name, so it disappears with the process. */
  async #openSpill(): Promise<SpillFile | undefined> {
    try {
      if (this.#handle === undefined) {
        const path = join(this.#directory, `records-${randomBytes(12).toString("hex")}`);
        this.#handle = await open(path, "wx+", 0o600);
        await rm(path);
        const { bavail, bsize } = await statfs(this.#directory);
        this.#maxBytes = Math.min(MOST_SPILL_BYTES, bavail * bsize * SHARE_OF_FREE);
      }
      await this.#handle.truncate(0);
      return { fd: this.#handle.fd, maxBytes: this.#maxBytes };
    } catch {
      return undefined;
    }
  }
}
