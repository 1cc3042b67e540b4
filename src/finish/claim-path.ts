import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/**
 * The first of these paths that is free, or whose file may be replaced. A free one is claimed at once with an empty
 * file, so that no other process gets it. Throws what node:fs throws.
 */
export async function claimPath(
  candidates: Iterable<string>,
  mayReplace: (path: string, hash: string) => Promise<boolean>,
): Promise<string> {
  for (const path of candidates) {
    const there = await lstat(path).catch(unlessMissing);
    if (there === undefined) {
      const handle = await open(path, "wx", 0o600).catch(unlessTaken);
      if (handle === undefined) continue;
      await handle.close();
      return path;
    }
    if (there.isFile() && (await mayReplace(path, await hashOf(path).catch(() => "")))) return path;
  }
  throw new Error("no free number was found");
}

/** Hex SHA-256 of a file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** The hash of an empty file. */
export const EMPTY_HASH = createHash("sha256").digest("hex");

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

function unlessTaken(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
