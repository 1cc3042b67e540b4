/** Reads a stream of chunks by numbers of bytes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next bytes, in memory of their own; fewer where the stream ends. */
  async take(bytes: number): Promise<Buffer> {
    while (this.#heldBytes < bytes) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      // A chunk may be lent until the next one is asked for.
      this.#held.push(Buffer.from(next.value));
      this.#heldBytes += next.value.length;
    }
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    const taken = all.subarray(0, bytes);
    this.#held = taken.length === all.length ? [] : [all.subarray(taken.length)];
    this.#heldBytes -= taken.length;
    return taken;
  }

  /** Passes over bytes; false where the stream ends before. */
  async skip(bytes: number): Promise<boolean> {
    let left = bytes;
    while (left > 0) {
      const taken = await this.take(Math.min(left, 65_536));
      if (taken.length === 0) return false;
      left -= taken.length;
    }
    return true;
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
