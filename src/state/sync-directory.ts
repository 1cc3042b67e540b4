import { open } from "node:fs/promises";

/** Writes the names in a directory to disk, so that a new file survives a power failure (fsync(2)). */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
