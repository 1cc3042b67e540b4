import { createHash, type Hash } from "node:crypto";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** Shows a later pass over decoded content (UTF-8, without byte order mark) block by block whether it is still the same. */
export interface ContentProof {
  readonly blockBytes: number;
  /** For each block the SHA-256 of the content up to its end; the last block may be shorter. */
  readonly codes: Uint8Array;
  readonly totalBytes: number;
  /** Hex SHA-256 of all the content, which journals keep. */
  readonly fingerprint: string;
}

const CODE_BYTES = 32;
const BLOCK_BYTES = 524_288;

/** Takes the content in order, and gives its proof at the end; `blockBytes` is a parameter for tests only. */
export function createProofWriter(blockBytes = BLOCK_BYTES) {
  const hash = createHash("sha256");
  const codes: Buffer[] = [];
  let totalBytes = 0;
  return {
    add(piece: Buffer): void {
      for (const part of cutAtBlocks(piece, totalBytes, blockBytes)) {
        hash.update(part);
        totalBytes += part.length;
        if (totalBytes % blockBytes === 0) codes.push(codeOf(hash));
      }
    },
    finish(): ContentProof {
      const last = codeOf(hash);
      if (totalBytes % blockBytes !== 0) codes.push(last);
      const all = new Uint8Array(Buffer.concat(codes));
      return { blockBytes, codes: all, totalBytes, fingerprint: last.toString("hex") };
    },
  };
}

/**
 * Passes on the content block by block, each only after it is proven to be what was inspected; throws an input error
 * otherwise. Holds one block in memory, which is lent until the next one is asked for.
 */
export async function* prove(
  pieces: AsyncIterable<Buffer>,
  { blockBytes, codes, totalBytes }: ContentProof,
  file: string,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  // One buffer is used for all blocks: a buffer held this long would stay in memory long after its release.
  let held: Buffer | undefined;
  let heldBytes = 0;
  let bytes = 0;
  let block = 0;
  const endBlock = (): void => {
    const expected = codes.subarray(block * CODE_BYTES, (block + 1) * CODE_BYTES);
    if (!codeOf(hash).equals(expected)) throw sourceChanged(file);
    block += 1;
  };

  for await (const piece of pieces) {
    for (const part of cutAtBlocks(piece, bytes, blockBytes)) {
      bytes += part.length;
      hash.update(part);
      const isEnd = bytes % blockBytes === 0;
      const isWhole = isEnd && heldBytes === 0;
      if (!isWhole) {
        held ??= Buffer.allocUnsafeSlow(blockBytes);
        heldBytes += part.copy(held, heldBytes);
      }
      if (isEnd) {
        endBlock();
        yield isWhole ? part : held!.subarray(0, heldBytes);
        heldBytes = 0;
      }
    }
  }
  if (heldBytes > 0) {
    endBlock();
    yield held!.subarray(0, heldBytes);
  }
  if (bytes !== totalBytes) throw sourceChanged(file);
}

/** The hash of all that was taken so far. */
function codeOf(hash: Hash): Buffer {
  return hash.copy().digest();
}

/** The error for an input that has changed since it was inspected. */
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
