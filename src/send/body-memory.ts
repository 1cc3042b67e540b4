/** Sizes are multiples of this, so that a body mostly fits into the memory of another. */
const STEP_BYTES = 16_384;
/** More than are ever in flight need not be kept. */
const MOST_KEPT = 64;

/** The memory of bodies that were sent, for those to come: left to the collector, it would be many megabytes. */
export class BodyMemory {
  readonly #free: ArrayBuffer[] = [];

  /** Memory for a body. */
  readonly allocate = (bytes: number): Buffer => {
    const free = this.#free.pop();
    if (free !== undefined && free.byteLength >= bytes) return Buffer.from(free, 0, bytes);
    return Buffer.from(new ArrayBuffer(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES), 0, bytes);
  };

  /**
   * Takes back what `allocate` returned. Nobody may read the body any more, a socket that still has to write it least
   * of all.
   */
  giveBack(body: Buffer): void {
    if (this.#free.length < MOST_KEPT) this.#free.push(body.buffer as ArrayBuffer);
  }
}
