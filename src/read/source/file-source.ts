import { read } from "node:fs";
import { promisify } from "node:util";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { Source } from "./source.ts";
import { readPacking, unpack } from "./unpack.ts";

/** A file that this process has open, usable by any of its threads. Plain data. */
export interface OpenFile {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
  /** Size as stored. */
  readonly bytes: number;
}

/** Having another thread read less than this would take longer than the reading itself. */
const CHUNK_BYTES = 262_144;

const readPiece = promisify(read);

/** The source for a file that stays open when the source is closed. */
export async function fileSource({ fd, name, bytes }: OpenFile): Promise<Source> {
  const head = Buffer.alloc(4);
  const { bytesRead } = await readPiece(fd, head, 0, 4, 0);
  const packing = readPacking(head.subarray(0, bytesRead));
  return {
    name,
    bytes,
    isPacked: packing !== undefined,
    fd,
    open: () =>
      packing === undefined
        ? readFrom(fd, name, { lends: true })
        : unpack(readFrom(fd, name, {}), packing, name),
    close: async () => undefined,
  };
}

/**
 * The bytes of an open file from its beginning, or the next ones of a stream. A chunk that is lent may be used until
 * the next one is asked for: all share one buffer. Throws input errors.
 */
export async function* readFrom(
  fd: number,
  name: string,
  { isStream = false, lends = false }: { readonly isStream?: boolean; readonly lends?: boolean },
): AsyncGenerator<Buffer> {
  let position = 0;
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

/** The input error that says why a file cannot be read. */
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
