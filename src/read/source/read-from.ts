import { read } from "node:fs";
import { promisify } from "node:util";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";

/** To have another thread read and to hear of it takes longer than the reading of less. */
const CHUNK_BYTES = 262_144;

const readPiece = promisify(read);

/**
 * The bytes of an open file from its beginning or from a byte `at`, or those that come next of a stream. A chunk that is lent may be used
 * until the next one is asked for: all share one buffer. Throws input errors.
 */
export async function* readFrom(
  fd: number,
  name: string,
  {
    isStream = false,
    lends = false,
    at: from = 0,
  }: { readonly isStream?: boolean; readonly lends?: boolean; readonly at?: number },
): AsyncGenerator<Buffer> {
  let position = from;
  let buffer: Buffer | undefined;
  for (;;) {
    if (!lends) buffer = undefined;
    buffer ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const at = isStream ? null : position;
    const { bytesRead } = await readPiece(fd, buffer, 0, CHUNK_BYTES, at).catch((error: unknown) => {
      throw unreadable(name, error);
    });
    if (bytesRead === 0) {
      return;
    }
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Why a file cannot be read, as an input error. */
export function unreadable(name: string, cause: unknown): RecPushError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return inputError({ file: name }, "missing-file", "there is no such file", {
        hint: "check the path",
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
