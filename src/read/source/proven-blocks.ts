import { setTimeout } from "node:timers/promises";

/** The codes of the blocks of content. Plain data. */
export interface ProvenBlocks {
  /** How many codes there are, and the size of the content in bytes, or -1 as long as its end is not known. */
  readonly state: BigInt64Array;
  readonly codes: Uint8Array;
}

const CODE_BYTES = 16;
/** Address space for the codes of 2 TiB of content. */
const MOST_BYTES = 67_108_864;
const FIRST_BYTES = 4096;
const UNKNOWN = -1n;
/** In milliseconds; hardly ever waited, as making records takes several times as long as proving the content. */
const BETWEEN_LOOKS = 2;

/** All blocks of a content. */
export function wholeBlocks(codes: readonly Uint8Array[], totalBytes: number): ProvenBlocks {
  const state = BigInt64Array.of(BigInt(codes.length), BigInt(totalBytes));
  return { state, codes: new Uint8Array(Buffer.concat(codes)) };
}

/**
 * The blocks so far, in memory that threads share and that grows: one may read them while another one still adds. Each
 * reserves address space, so that it is nothing to be kept.
 */
export function growingBlocks(codes: readonly Uint8Array[]): ProvenBlocks {
  const state = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
  state[1] = UNKNOWN;
  const memory = new SharedArrayBuffer(FIRST_BYTES, { maxByteLength: MOST_BYTES });
  const blocks = { state, codes: new Uint8Array(memory) };
  for (const code of codes) addCode(blocks, code);
  return blocks;
}

/** Adds the code of the next block. */
export function addCode({ state, codes }: ProvenBlocks, code: Uint8Array): void {
  const at = Number(state[0]) * CODE_BYTES;
  const memory = codes.buffer as SharedArrayBuffer;
  if (at + CODE_BYTES > memory.byteLength) memory.grow(Math.min(2 * memory.byteLength, MOST_BYTES));
  codes.set(code, at);
  Atomics.add(state, 0, 1n);
}

/** Says that there are no more blocks. */
export function endBlocks({ state }: ProvenBlocks, totalBytes: number): void {
  Atomics.store(state, 1, BigInt(totalBytes));
}

/** The code of a block once it is known; `undefined` if the content ends before it. */
export async function codeOf(blocks: ProvenBlocks, block: number): Promise<Uint8Array | undefined> {
  const { state, codes } = blocks;
  for (;;) {
    // Before the end is known, the last code is there.
    const isEnded = Atomics.load(state, 1) !== UNKNOWN;
    if (Atomics.load(state, 0) > block) return codes.subarray(block * CODE_BYTES, (block + 1) * CODE_BYTES);
    if (isEnded) return undefined;
    await setTimeout(BETWEEN_LOOKS);
  }
}

/** The size of the content in bytes, once its end is known. */
export async function totalBytesOf({ state }: ProvenBlocks): Promise<number> {
  for (;;) {
    const bytes = Atomics.load(state, 1);
    if (bytes !== UNKNOWN) return Number(bytes);
    await setTimeout(BETWEEN_LOOKS);
  }
}
