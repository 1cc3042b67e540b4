import { createHash } from "node:crypto";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/**
 * Identifies decoded content (UTF-8, without byte order mark) as it was inspected: SHA-256 of the content up to the end
 * of each block, so that one hash gives the proof of every block and, at the end, the fingerprint.
 */
export interface BlockProof {
  readonly blockBytes: number;
  /** One for each block; the last block may be shorter. 32 bytes per MiB of input. */
  readonly digests: readonly Buffer[];
  readonly totalBytes: number;
}

const BLOCK_BYTES = 1_048_576;
/** Content is passed on in pieces of this size, so that the work of the next steps fits into the processor's caches. */
const PIECE_BYTES = 65_536;

/** Takes the content in order, and gives its proof at the end. */
export interface ProofWriter {
  add(piece: Buffer): void;
  finish(): BlockProof;
}

/** `blockBytes` is a parameter for tests only. */
export function createProofWriter(blockBytes = BLOCK_BYTES): ProofWriter {
  const hash = createHash("sha256");
  const digests: Buffer[] = [];
  let totalBytes = 0;
  return {
    add(piece) {
      for (const part of cutAtBlocks(piece, totalBytes, blockBytes)) {
        hash.update(part);
        totalBytes += part.length;
        if (totalBytes % blockBytes === 0) {
          digests.push(hash.copy().digest());
        }
      }
    },
    finish() {
      if (totalBytes % blockBytes !== 0 || totalBytes === 0) {
        digests.push(hash.copy().digest());
      }
      return { blockBytes, digests, totalBytes };
    },
  };
}

/** Hex SHA-256 of the whole content. */
export function fingerprintOf(proof: BlockProof): string {
  return (proof.digests.at(-1) ?? Buffer.alloc(0)).toString("hex");
}

/**
 * Passes on the content block by block, each only after it is proven to be what was inspected; throws an input error
 * otherwise. Holds one block in memory.
 */
export async function* prove(
  pieces: AsyncIterable<Buffer>,
  proof: BlockProof,
  file: string,
): AsyncGenerator<Buffer> {
  const { blockBytes, digests, totalBytes } = proof;
  const hash = createHash("sha256");
  // One buffer is used for all blocks: a buffer held this long would stay in memory long after its release.
  const held = Buffer.allocUnsafeSlow(Math.min(blockBytes, totalBytes));
  let heldBytes = 0;
  let bytes = 0;
  let block = 0;

  for await (const piece of pieces) {
    for (const part of cutAtBlocks(piece, bytes, blockBytes)) {
      bytes += part.length;
      if (bytes > totalBytes) throw sourceChanged(file);
      hash.update(part);
      heldBytes += part.copy(held, heldBytes);
      if (bytes % blockBytes === 0 || bytes === totalBytes) {
        if (digests[block]?.equals(hash.copy().digest()) !== true) {
          throw sourceChanged(file);
        }
        for (let from = 0; from < heldBytes; from += PIECE_BYTES) {
          yield copyOf(held.subarray(from, Math.min(from + PIECE_BYTES, heldBytes)));
        }
        heldBytes = 0;
        block += 1;
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
