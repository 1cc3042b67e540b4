/** Sizes are multiples of this, so that memory mostly fits what comes after. */
const STEP_BYTES = 16_384;
/** More need not be kept: so many bodies are never in flight, nor so many chunks waiting. */
const MOST_KEPT = 64;

/**
 * Memory that is used again. Left to the collector it would be many megabytes: that comes the later, the less other
 * garbage there is.
 */
export class ByteMemory {
  readonly #free: ArrayBuffer[] = [];

  /** So many bytes, at the start of their memory; they may hold anything. */
  readonly allocate = (bytes: number): Buffer => {
    const free = this.#free.pop();
    if (free !== undefined && free.byteLength >= bytes) return Buffer.from(free, 0, bytes);
    return Buffer.from(new ArrayBuffer(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES), 0, bytes);
  };

  /** Takes back what `allocate` returned. Nobody may read it any more, a socket that still has to write it least of all. */
  giveBack(bytes: Buffer): void {
    if (this.#free.length < MOST_KEPT) this.#free.push(bytes.buffer as ArrayBuffer);
  }
}

/** True if the bytes from `start` to `end` are exactly `value`; for short stretches a loop is faster than a call into Node. */
export function isAt(bytes: Buffer, start: number, end: number, value: Buffer): boolean {
  if (end - start !== value.length) return false;
  for (let at = 0; at < value.length; at++) if (bytes[start + at] !== value[at]) return false;
  return true;
}
