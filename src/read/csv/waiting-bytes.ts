const NO_BYTES: Buffer = Buffer.alloc(0);

/** The end of some scanned bytes, and the chunks that continue it. */
export class WaitingBytes {
  readonly #isLent: boolean;
  readonly #most: number;
  #rest = NO_BYTES;
  #chunks: Buffer[] = [];
  #chunkBytes = 0;

  /** `isLent`: true if chunks may be overwritten once the next one comes; `most`: bytes of a row. */
  constructor(isLent: boolean, most: number) {
    this.#isLent = isLent;
    this.#most = most;
  }

  get length(): number {
    return this.#rest.length + this.#chunkBytes;
  }

  /**
   * Adds a chunk; false if it is too early to scan: the beginning of a long row is only scanned again once twice as much is
   * available, or more than a row may have.
   */
  add(chunk: Buffer): boolean {
    this.#chunkBytes += chunk.length;
    const isEnough = this.#chunkBytes >= this.#rest.length || this.length > this.#most;
    this.#chunks.push(isEnough || !this.#isLent ? chunk : Buffer.from(chunk));
    return isEnough;
  }

  /** The bytes where they are, if they lie in one place that nobody overwrites. */
  get inPlace(): Buffer | undefined {
    if (this.#isLent || this.#rest.length + this.#chunks.length === 0) return undefined;
    if (this.#rest.length === 0) return this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    return this.#chunks.length === 0 ? this.#rest : undefined;
  }

  /** Copies them to the beginning of `target`. */
  copy(target: Buffer): void {
    let to = this.#rest.copy(target);
    for (const chunk of this.#chunks) to += chunk.copy(target, to);
  }

  /** Starts again behind the bytes that were scanned. */
  restart(rest: Buffer): void {
    this.#rest = rest;
    this.#chunks = [];
    this.#chunkBytes = 0;
  }
}
