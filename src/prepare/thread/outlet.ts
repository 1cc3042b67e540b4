import { writeSync } from "node:fs";
import { ByteMemory } from "../../model/byte-memory.ts";
import type { PackedChunk } from "../packed-chunk.ts";
import type { FromThread, SpillFile } from "./prepare-job.ts";
import { SpillPlaces } from "./spill-places.ts";

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
