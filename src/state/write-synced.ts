import { open } from "node:fs/promises";

/**
 * Makes a private file (0600) whose contents are on disk when this resolves, so that it can be linked or renamed to its
 * place: after a power failure the place holds all of them or nothing. Throws what node:fs throws, also where it exists.
 */
export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
