import { open } from "node:fs/promises";

/**
 * Writes the names in a directory to disk, so that a new file survives a power failure (fsync(2)). Windows has no such call for
 * directories and refuses it; its file system keeps an account of names itself.
 */
export async function syncDirectory(
  directory: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
