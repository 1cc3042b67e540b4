import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Stats } from "node:fs";

/** The error for a part of the state that another user could have written. */
export class ForeignError extends Error {}

/**
 * Opens a file of the state for reading. Throws if there is something else in its place, such as a pipe, which could
 * be read forever, or if another user could have written it; otherwise what node:fs throws.
 */
export async function openOwnFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error("something other than a file is in its place");
    refuseForeign(found);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads such a file as text. */
export async function readOwnFile(path: string): Promise<string> {
  const handle = await openOwnFile(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Throws if a part of the state belongs to another user, or if others may write to it. */
export function refuseForeign({ uid, mode }: Stats): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  if (uid !== own) throw new ForeignError(`it belongs to another user (${uid}; this process runs as ${own})`);
  if ((mode & 0o022) !== 0) throw new ForeignError("others may write into it; chmod go-w makes it private");
}
