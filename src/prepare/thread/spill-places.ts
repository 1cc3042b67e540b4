import type { SpillFile } from "./prepare-job.ts";

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
