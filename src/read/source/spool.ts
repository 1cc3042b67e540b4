import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import type { CopyBounds } from "./copy-bounds.ts";

/** A private copy of an input that can be read only once. */
export interface Spool {
  readonly handle: FileHandle;
  readonly bytes: number;
  /** Moves the copy, on disk, to a place of its own, where `remove` leaves it. */
  keep(path: string): Promise<void>;
  /** Closes the copy, and deletes it unless it is kept. */
  remove(): Promise<void>;
}

/**
 * Copies all chunks to a new file (mode 0600) in the directory, within limits. Throws a machine error if that fails.
 */
export async function spool(
  chunks: AsyncIterable<Uint8Array | string>,
  directory: string,
  bounds: CopyBounds,
): Promise<Spool> {
  const path = join(directory, `input-${randomBytes(12).toString("hex")}`);
  const handle = await open(path, "wx+", 0o600).catch((error: unknown) => {
    throw cannotSpool(directory, error);
  });
  let isKept = false;
  async function keep(place: string): Promise<void> {
    await handle.datasync().catch((error: unknown) => {
      throw cannotSpool(directory, error);
    });
    await rename(path, place).catch((error: unknown) => {
      throw cannotSpool(place, error);
    });
    isKept = true;
  }
  async function remove(): Promise<void> {
    await handle.close();
    if (!isKept) await rm(path, { force: true });
  }
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      await bounds.take(data.length);
      await handle.appendFile(data).catch((error: unknown) => {
        throw cannotSpool(directory, error);
      });
      bytes += data.length;
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { handle, bytes, keep, remove };
}

function cannotSpool(directory: string, cause: unknown): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RecPushError("machine", "cannot-spool", `the input cannot be kept in ${directory}: ${why}`, {
    hint: "free space there, or name another place in TMPDIR",
    cause,
  });
}
