import { read } from "node:fs";
import { promisify } from "node:util";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** Below this size the round trip to the I/O thread costs more than the read. */
const CHUNK_BYTES = 262_144;
/** The size of a block of a proof: such a chunk is proven where it is. */
const LENT_BYTES = 524_288;

const readPiece = promisify(read);

/**
 * The bytes of an open file from its beginning. From the second on, the next chunk is read while one is worked on. `lends`:
 * a chunk may be used only until the next one is asked for, and two buffers serve all of them. Throws input errors.
 */
export async function* readFrom(
  fd: number,
  name: string,
  { lends = false }: { readonly lends?: boolean } = {},
): AsyncGenerator<Buffer> {
  let position = 0;
  const lent: Buffer[] = [];
  let chunks = 0;
  const size = lends ? LENT_BYTES : CHUNK_BYTES;
  const readChunk = async (): Promise<Buffer> => {
    const slot = chunks++ % 2;
    const buffer = lends ? (lent[slot] ??= Buffer.allocUnsafeSlow(size)) : Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await readPiece(fd, buffer, 0, size, position).catch((error: unknown) => {
      throw unreadable(name, error);
    });
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  let next = readChunk();
  try {
    for (;;) {
      const chunk = await next;
      if (chunk.length === 0) return;
      // Many readers look at the first chunk only.
      const isAhead = chunks > 1;
      if (isAhead) next = readChunk();
      // An error is thrown when that chunk is asked for.
      next.catch(() => undefined);
      yield chunk;
      if (!isAhead) next = readChunk();
    }
  } finally {
    // A caller that stops early may close the file, so the read must have ended.
    await next.catch(() => undefined);
  }
}

/** The bytes of an open file from `at` on; fewer where the file ends. */
export async function readPart(fd: number, at: number, bytes: number): Promise<Buffer> {
  const part = Buffer.alloc(bytes);
  let have = 0;
  while (have < bytes) {
    const { bytesRead } = await readPiece(fd, part, have, bytes - have, at + have);
    if (bytesRead === 0) break;
    have += bytesRead;
  }
  return part.subarray(0, have);
}

/** Why a file cannot be read, as an input error. */
export function unreadable(name: string, cause: unknown): RecPushError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return inputError({ file: name }, "missing-file", "there is no such file", {
        // Node replaces bytes of an argument that are not UTF-8.
        hint: name.includes("\uFFFD")
          ? "its name, or that of a directory, is not UTF-8: rename it, or give it as standard input: rec-push - < FILE"
          : "check the path",
        cause,
      });
    case "EACCES":
    case "EPERM":
      return inputError({ file: name }, "not-readable", "this user may not read the file", {
        hint: "check its permissions",
        cause,
      });
    default: {
      const why = cause instanceof Error ? cause.message : String(cause);
      return inputError({ file: name }, "not-readable", `the file cannot be read: ${why}`, { cause });
    }
  }
}
