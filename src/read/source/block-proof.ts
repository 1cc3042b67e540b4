import { createCipheriv, createHash, randomBytes, type CipherGCM } from "node:crypto";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/**
 * Identifies decoded content (UTF-8, without byte order mark) as it was inspected: by its fingerprint, and by a code for
 * each block that shows a later pass whether the block is still the same.
 */
export interface BlockProof {
  /** Hex SHA-256 of all the content, which journals keep. */
  readonly fingerprint: string;
  readonly blockBytes: number;
  /** Random and secret, so that nobody can prepare other content with the same codes. */
  readonly key: Uint8Array;
  /** One for each block; the last block may be shorter. 16 bytes per 512 KiB of input. */
  readonly codes: readonly Uint8Array[];
  readonly totalBytes: number;
}

const BLOCK_BYTES = 524_288;
/** Content is passed on in pieces of this size, so that the work of the next steps fits into the processor's caches. */
const PIECE_BYTES = 65_536;

/** Takes the content in order, and gives its proof at the end. */
export interface ProofWriter {
  add(piece: Buffer): void;
  finish(): BlockProof;
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
  let totalBytes = 0;
  return {
    add(piece) {
      hash.update(piece);
      for (const part of cutAtBlocks(piece, totalBytes, blockBytes)) {
        block.add(part);
        totalBytes += part.length;
        if (totalBytes % blockBytes === 0) codes.push(block.end());
      }
    },
    finish() {
      if (totalBytes % blockBytes !== 0) codes.push(block.end());
      return { fingerprint: hash.digest("hex"), blockBytes, key, codes, totalBytes };
    },
  };
}

/**
 * Passes on the content block by block, each only after it is proven to be what was inspected; throws an input error
 * otherwise. Holds one block in memory. The pieces begin with the block `first`; it ends after the block that holds the byte
 * before `to`.
 */
export async function* prove(
  pieces: AsyncIterable<Buffer>,
  proof: BlockProof,
  file: string,
  { first = 0, to = proof.totalBytes }: { readonly first?: number; readonly to?: number } = {},
): AsyncGenerator<Buffer> {
  const { blockBytes, key, codes, totalBytes } = proof;
  const code = new BlockCodes(key, first);
  // One buffer is used for all blocks: a buffer held this long would stay in memory long after its release.
  const held = Buffer.allocUnsafeSlow(Math.min(blockBytes, totalBytes));
  let heldBytes = 0;
  let bytes = first * blockBytes;
  let block = first;

  for await (const piece of pieces) {
    for (const part of cutAtBlocks(piece, bytes, blockBytes)) {
      bytes += part.length;
      if (bytes > totalBytes) throw sourceChanged(file);
      code.add(part);
      const isEnd = bytes % blockBytes === 0 || bytes === totalBytes;
      const isWhole = isEnd && heldBytes === 0;
      if (!isWhole) heldBytes += part.copy(held, heldBytes);
      if (isEnd) {
        const expected = codes[block];
        if (expected === undefined || !code.end().equals(expected)) throw sourceChanged(file);
        const proven = isWhole ? part : held.subarray(0, heldBytes);
        for (let from = 0; from < proven.length; from += PIECE_BYTES) {
          yield copyOf(proven.subarray(from, Math.min(from + PIECE_BYTES, proven.length)));
        }
        heldBytes = 0;
        block += 1;
        if (bytes >= to && to < totalBytes) return;
      }
    }
  }
  if (bytes !== totalBytes) {
    throw sourceChanged(file);
  }
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
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
