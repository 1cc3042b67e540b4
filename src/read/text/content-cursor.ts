import { StringDecoder } from "node:string_decoder";
import { loadIconv } from "./decode.ts";

/** Copies stretches of decoded content, one after another, holding one chunk at a time, which may be lent. */
export class ContentCursor {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** Number of bytes before the chunk. */
  #base = 0;

  constructor(content: AsyncIterable<Buffer>) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /** The bytes from `start` to `end`; stretches are asked for in rising order. */
  async *bytes(start: number, end: number): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#chunk.subarray(
        Math.max(start - this.#base, 0),
        Math.min(end - this.#base, this.#chunk.length),
      );
      if (piece.length > 0) yield Buffer.from(piece);
      if (this.#base + this.#chunk.length >= end || !(await this.#next())) return;
    }
  }

  /** The same stretch in one piece. */
  async read(start: number, end: number): Promise<Buffer> {
    const held: Buffer[] = [];
    for await (const piece of this.bytes(start, end)) held.push(piece);
    return Buffer.concat(held);
  }

  /** Ends reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    this.#base += this.#chunk.length;
    this.#chunk = value;
    return true;
  }
}

/**
 * Converts decoded content back to the encoding of its input. Takes text, or UTF-8 that may be cut inside a character;
 * characters that the encoding does not have become `?`.
 */
type Encoder = (text: Buffer | string) => Buffer;

/** `encoding` as in `Reading`. */
export function createEncoder(encoding: string): Encoder {
  if (encoding === "utf-8") return (text) => (typeof text === "string" ? Buffer.from(text) : text);
  const utf8 = new StringDecoder("utf8");
  return (text) =>
    loadIconv().encode(typeof text === "string" ? text : utf8.write(text), encoding, { addBOM: false });
}
