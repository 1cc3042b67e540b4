import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { type FileHandle, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { PlanParts } from "../../fields/record/field-plan.ts";
import { ByteMemory } from "../../model/byte-memory.ts";
import type { RecPushError } from "../../model/failure.ts";
import type { InspectionSoFar } from "../../read/inspect-source.ts";
import type { OpenFile } from "../../read/source/open-source.ts";
import type { PackedChunk, PackedLayout } from "../leave-totals-out.ts";
import type { PlannedInput, PrepareOptions } from "../prepare-records.ts";

export type Say = (message: FromThread, transfer?: readonly ArrayBuffer[]) => void;

/** Keeps the chunks of a job in the spill file until one is asked for, and from then on hands them over on request. */
export class Outlet {
  readonly #fd: number | undefined;
  readonly #places: SpillPlaces | undefined;
  readonly #say: Say;
  #isKeeping: boolean;
  #hasSaidFull = false;
  /** How many chunks were asked for and not handed over yet. */
  #wanted = 0;
  #scratch = Buffer.alloc(0);
  /** Of chunks that are handed over. */
  readonly #memory = new ByteMemory();
  #wake: () => void = () => undefined;

  constructor(spill: SpillFile | undefined, say: Say) {
    this.#fd = spill?.fd;
    this.#places = spill && new SpillPlaces(spill);
    this.#isKeeping = spill !== undefined;
    this.#say = say;
  }

  /** Asks for a chunk. */
  ask(): void {
    this.#wanted += 1;
    this.#wake();
  }

  /** The chunks at these positions are not needed any more. */
  free(positions: readonly number[]): void {
    this.#places?.free(positions);
    this.#wake();
  }

  /** The memory of a chunk that was handed over is used for another. */
  takeBack(memory: ArrayBuffer): void {
    this.#memory.giveBack(Buffer.from(memory));
  }

  /** Chunks that are kept share one buffer; those that are handed over have their own. */
  readonly allocate = (bytes: number): Buffer => {
    this.#isKeeping &&= this.#wanted === 0;
    if (!this.#isKeeping) return this.#memory.allocate(bytes);
    if (bytes > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(bytes * 2);
    return this.#scratch.subarray(0, bytes);
  };

  /** Resolves when the chunk is kept or handed over. */
  async put({ layout, bytes }: PackedChunk): Promise<void> {
    const isShared = bytes.buffer === this.#scratch.buffer;
    const at = this.#isKeeping ? await this.#room(bytes.length) : undefined;
    if (at !== undefined && this.#write(bytes, at)) {
      this.#say({ kind: "kept", layout, at, end: at + bytes.length });
      return;
    }
    this.#isKeeping = false;
    this.#sayFull();
    const own = isShared ? this.#copyOf(bytes) : bytes;
    while (this.#wanted === 0) await this.#change();
    this.#wanted -= 1;
    this.#say({ kind: "handed", layout, bytes: own }, [own.buffer as ArrayBuffer]);
  }

  /** Resolves to the position where there is room, or to `undefined` if there is none and a chunk was asked for. */
  async #room(bytes: number): Promise<number | undefined> {
    for (;;) {
      const at = this.#places?.take(bytes);
      if (at !== undefined) return at;
      this.#sayFull();
      if (this.#wanted > 0) return undefined;
      await this.#change();
    }
  }

  #copyOf(bytes: Buffer): Buffer {
    const copy = this.#memory.allocate(bytes.length);
    bytes.copy(copy);
    return copy;
  }

  /** Resolves when more is asked for or freed. */
  #change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #sayFull(): void {
    if (!this.#hasSaidFull) this.#say({ kind: "full" });
    this.#hasSaidFull = true;
  }

  #write(bytes: Buffer, at: number): boolean {
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#fd!, bytes, done, bytes.length - done, at + done);
      return true;
    } catch {
      return false;
    }
  }
}

/** Places have sizes that are multiples of this, so that a chunk fits into the place of another. */
const STEP_BYTES = 65_536;

/** Where chunks are kept in a file of limited size: in places that were freed, or behind all others. */
export class SpillPlaces {
  readonly #maxBytes: number;
  #end: number;
  /** The sizes of the places that are taken, by position. */
  readonly #taken = new Map<number, number>();
  /** The positions of free places, by size. */
  readonly #free = new Map<number, number[]>();

  constructor({ from, maxBytes }: Pick<SpillFile, "from" | "maxBytes">) {
    this.#end = from;
    this.#maxBytes = maxBytes;
  }

  /** The position for a chunk of this size; `undefined` if there is no room now. */
  take(bytes: number): number | undefined {
    const size = Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    const at = this.#free.get(size)?.pop() ?? this.#behind(size);
    if (at !== undefined) this.#taken.set(at, size);
    return at;
  }

  /** What was kept at these positions is not needed any more. */
  free(positions: readonly number[]): void {
    for (const at of positions) {
      const size = this.#taken.get(at);
      if (size === undefined) continue;
      this.#taken.delete(at);
      const alike = this.#free.get(size);
      if (alike === undefined) this.#free.set(size, [at]);
      else alike.push(at);
    }
  }

  #behind(size: number): number | undefined {
    const at = this.#end;
    if (at + size > this.#maxBytes) return undefined;
    this.#end += size;
    return at;
  }
}

const MOST_BYTES = 1024 ** 3;
/** The share of the free space that records may take. */
const SHARE_OF_FREE = 0.25;

/**
 * The file in which the records of a command's inputs wait until they are sent, those of one input behind those of the other. It
 * has no name, so it disappears with the process.
 */
export class SpillRoom {
  readonly #directory: string;
  #handle: FileHandle | undefined;
  #maxBytes = 0;
  #kept = 0;

  /** `directory` is private and outlives this object. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What is behind the records that are kept, for one thread at a time; `undefined` if there is nothing. */
  async free(): Promise<{ readonly file: FileHandle; readonly spill: SpillFile } | undefined> {
    try {
      const file = await this.#open();
      return { file, spill: { fd: file.fd, from: this.#kept, maxBytes: this.#maxBytes } };
    } catch {
      return undefined;
    }
  }

  /** The records up to there are read later. */
  keep(end: number): void {
    this.#kept = Math.max(this.#kept, end);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle === undefined) {
      const path = join(this.#directory, `records-${randomBytes(12).toString("hex")}`);
      this.#handle = await open(path, "wx+", 0o600);
      await rm(path);
      const { bavail, bsize } = await statfs(this.#directory);
      this.#maxBytes = Math.min(MOST_BYTES, bavail * bsize * SHARE_OF_FREE);
    }
    // What an earlier attempt at the same input has left there is written over. Truncated to nothing, ext4 would write
    // all that follows to the disk when the file is closed (auto_da_alloc), and the end of the run would wait for it.
    return this.#handle;
  }
}

/** Where chunks are kept until they are not needed any more. */
export interface SpillFile {
  /** A file of this process, open for reading and writing, and the position behind its last byte. */
  readonly fd: number;
  readonly from: number;
  /** Its greatest size. */
  readonly maxBytes: number;
}

/** What a thread needs to make records. Plain data. */
export interface PrepareJob {
  readonly file: OpenFile;
  readonly inspection: InspectionSoFar;
  readonly parts: PlanParts;
  readonly options: PrepareOptions;
  /** Where chunks are kept until one is asked for; without it the thread waits. */
  readonly spill?: SpillFile;
  /** True if the thread stays after the end, for the next input. */
  readonly isFollowed: boolean;
}

/** Messages of the thread. */
export type FromThread =
  /** A chunk is in the spill file. */
  | { readonly kind: "kept"; readonly layout: PackedLayout; readonly at: number; readonly end: number }
  /** There is no room to keep another chunk as long as all those before are needed. */
  | { readonly kind: "full" }
  /** A chunk is handed over because it was asked for, or because there is no room to keep it. */
  | { readonly kind: "handed"; readonly layout: PackedLayout; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "failure"; readonly failure: FailureData };

/**
 * Messages to the thread: a job, then requests for one more chunk each, after the first of which it keeps no more
 * chunks, and the positions of kept chunks and the memory of chunks handed over whose records are all settled. The next job comes
 * after the end of the one before.
 */
export type ToThread =
  PrepareJob | "next" | { readonly freed: readonly number[] } | { readonly memory: ArrayBuffer };

/** A {@link RecPushError} as plain data. */
export type FailureData = Pick<RecPushError, "kind" | "code" | "message" | "hint" | "place">;

/** The job to prepare an input. */
export function jobOf(
  { source: { fd, name, bytes }, inspection }: Omit<PlannedInput, "plan">,
  parts: PlanParts,
  { read, ...options }: PrepareOptions,
): Omit<PrepareJob, "spill" | "isFollowed"> {
  if (fd === undefined) throw new Error(`${name} is not an open file that a thread could read`);
  // A function cannot be passed to another thread, and the header has been found already.
  const { isKnownHeader: _, ...plain } = read;
  return { file: { fd, name, bytes }, inspection, parts, options: { ...options, read: plain } };
}
