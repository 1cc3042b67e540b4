import { type CipherGCM, createCipheriv, createHash, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/**
 * Shows a later pass over decoded content (UTF-8, without byte order mark) block by block whether it is still the same.
 * May be used while the content is still being read: who is ahead of that waits.
 */
export interface BlockProof {
  readonly blockBytes: number;
  /** Random and secret, so that nobody can prepare other content with the same codes. */
  readonly key: Uint8Array;
  /** A code for each block; the last block may be shorter. 16 bytes per 512 KiB of input. */
  readonly blocks: ProvenBlocks;
}

/** Identifies content as it was inspected. */
export interface ContentProof extends BlockProof {
  /** Hex SHA-256 of all the content, which journals keep. */
  readonly fingerprint: string;
  readonly totalBytes: number;
}

const BLOCK_BYTES = 524_288;
/**
 * Content is passed on in pieces of this size. What is done once for each of them takes little of the time if they are
 * large, and each next step still finds them in the processor's caches.
 */
const PIECE_BYTES = 262_144;

/** Takes the content in order, and gives its proof at the end. */
export interface ProofWriter {
  add(piece: Buffer): void;
  /** What there is of it so far; it grows with the content. */
  readonly soFar: BlockProof;
  finish(): ContentProof;
}

/**
 * Computes the codes of the blocks in order: GMAC, which is AES-GCM without plaintext (NIST SP 800-38D). Nearly every
 * processor has instructions for it. Fewer have them for SHA-256, which is up to twenty times slower without.
 */
class BlockCodes {
  readonly #key: Uint8Array;
  readonly #nonce = Buffer.alloc(12);
  #block = 0;
  #code: CipherGCM;

  /** `block`: the number of the first block. */
  constructor(key: Uint8Array, block = 0) {
    this.#key = key;
    this.#block = block;
    this.#code = this.#begin();
  }

  add(part: Buffer): void {
    this.#code.setAAD(part);
  }

  /** The code of the block that ends here. */
  end(): Buffer {
    this.#code.final();
    const code = this.#code.getAuthTag();
    this.#block += 1;
    this.#code = this.#begin();
    return code;
  }

  #begin(): CipherGCM {
    this.#nonce.writeUIntBE(this.#block, 0, 6);
    return createCipheriv("aes-128-gcm", this.#key, this.#nonce);
  }
}

/** `blockBytes` is a parameter for tests only. */
export function createProofWriter(blockBytes = BLOCK_BYTES): ProofWriter {
  const hash = createHash("sha256");
  const key = randomBytes(16);
  const block = new BlockCodes(key);
  const codes: Buffer[] = [];
  let growing: ProvenBlocks | undefined;
  let totalBytes = 0;
  const endBlock = (): void => {
    const code = block.end();
    codes.push(code);
    if (growing !== undefined) addCode(growing, code);
  };
  return {
    get soFar() {
      return { blockBytes, key, blocks: (growing ??= growingBlocks(codes)) };
    },
    add(piece) {
      hash.update(piece);
      for (const part of cutAtBlocks(piece, totalBytes, blockBytes)) {
        block.add(part);
        totalBytes += part.length;
        if (totalBytes % blockBytes === 0) endBlock();
      }
    },
    finish() {
      if (totalBytes % blockBytes !== 0) endBlock();
      if (growing !== undefined) endBlocks(growing, totalBytes);
      const blocks = wholeBlocks(codes, totalBytes);
      return { blockBytes, key, blocks, fingerprint: hash.digest("hex"), totalBytes };
    },
  };
}

/**
 * Passes on the content block by block, each only after it is proven to be what was inspected; throws an input error
 * otherwise. Holds one block in memory; a piece of it is lent until the next one is asked for. The `pieces` begin with the block `first`; it ends after the block that holds the byte
 * before `to`.
 */
export async function* prove(
  pieces: AsyncIterable<Buffer>,
  { blockBytes, key, blocks }: BlockProof,
  file: string,
  { first = 0, to = Infinity }: { readonly first?: number; readonly to?: number } = {},
): AsyncGenerator<Buffer> {
  const code = new BlockCodes(key, first);
  // One buffer is used for all blocks: a buffer held this long would stay in memory long after its release.
  let held: Buffer | undefined;
  let heldBytes = 0;
  let bytes = first * blockBytes;
  let block = first;
  const endBlock = async (): Promise<void> => {
    const expected = await codeOf(blocks, block);
    if (expected === undefined || !code.end().equals(expected)) throw sourceChanged(file);
    block += 1;
  };

  for await (const piece of pieces) {
    for (const part of cutAtBlocks(piece, bytes, blockBytes)) {
      bytes += part.length;
      code.add(part);
      const isEnd = bytes % blockBytes === 0;
      const isWhole = isEnd && heldBytes === 0;
      if (!isWhole) {
        held ??= Buffer.allocUnsafeSlow(blockBytes);
        heldBytes += part.copy(held, heldBytes);
      }
      if (isEnd) {
        await endBlock();
        for (const proven of cutIntoPieces(isWhole ? part : held!.subarray(0, heldBytes))) yield proven;
        heldBytes = 0;
        if (bytes >= to && to < (await totalBytesOf(blocks))) return;
      }
    }
  }
  if (heldBytes > 0) {
    await endBlock();
    for (const proven of cutIntoPieces(held!.subarray(0, heldBytes))) yield proven;
  }
  if (bytes !== (await totalBytesOf(blocks))) throw sourceChanged(file);
}

/** Parts of it as large as the pieces in which content is passed on; the last one may be shorter. */
export function* cutIntoPieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

/** The error if the input is no longer what was inspected. */
export function sourceChanged(file: string, cause?: unknown): RecPushError {
  return inputError({ file }, "source-changed", "the file changed while it was being read", {
    hint: "run the command again when nothing writes to the file any more",
    cause,
  });
}

function* cutAtBlocks(piece: Buffer, position: number, blockBytes: number): Generator<Buffer> {
  let from = 0;
  while (from < piece.length) {
    const end = Math.min(piece.length, from + blockBytes - ((position + from) % blockBytes));
    yield from === 0 && end === piece.length ? piece : piece.subarray(from, end);
    from = end;
  }
}

/** The codes of the blocks of content. Plain data. */
interface ProvenBlocks {
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
function wholeBlocks(codes: readonly Uint8Array[], totalBytes: number): ProvenBlocks {
  const state = BigInt64Array.of(BigInt(codes.length), BigInt(totalBytes));
  return { state, codes: new Uint8Array(Buffer.concat(codes)) };
}

/**
 * The blocks so far, in memory that threads share and that grows: one may read them while another one still adds. Each
 * reserves address space, so that it is nothing to be kept.
 */
function growingBlocks(codes: readonly Uint8Array[]): ProvenBlocks {
  const state = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
  state[1] = UNKNOWN;
  const memory = new SharedArrayBuffer(FIRST_BYTES, { maxByteLength: MOST_BYTES });
  const blocks = { state, codes: new Uint8Array(memory) };
  for (const code of codes) addCode(blocks, code);
  return blocks;
}

/** Adds the code of the next block. */
function addCode({ state, codes }: ProvenBlocks, code: Uint8Array): void {
  const at = Number(state[0]) * CODE_BYTES;
  const memory = codes.buffer as SharedArrayBuffer;
  if (at + CODE_BYTES > memory.byteLength) memory.grow(Math.min(2 * memory.byteLength, MOST_BYTES));
  codes.set(code, at);
  Atomics.add(state, 0, 1n);
}

/** Says that there are no more blocks. */
function endBlocks({ state }: ProvenBlocks, totalBytes: number): void {
  Atomics.store(state, 1, BigInt(totalBytes));
}

/** The code of a block once it is known; `undefined` if the content ends before it. */
async function codeOf(blocks: ProvenBlocks, block: number): Promise<Uint8Array | undefined> {
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
async function totalBytesOf({ state }: ProvenBlocks): Promise<number> {
  for (;;) {
    const bytes = Atomics.load(state, 1);
    if (bytes !== UNKNOWN) return Number(bytes);
    await setTimeout(BETWEEN_LOOKS);
  }
}
