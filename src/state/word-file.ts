import { open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "./sync-directory.ts";
import { cannotUse } from "./state-directory.ts";

/**
 * The words that were added to a file, in order; none if it is not there. Each is JSON on a line between two line feeds
 * of its own: one that does not end so was cut off by a crash, even if it happens to be whole; nothing relied on it.
 * Throws a machine error if a whole word is damaged.
 */
export async function readWords<Word>(path: string): Promise<readonly Word[]> {
  try {
    const lines = (await readFile(path, "utf8")).split("\n");
    return lines
      .filter((line, at) => line !== "" && lines[at + 1] === "")
      .map((line) => JSON.parse(line) as Word);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cannotUse(path, cause);
  }
}

/** Adds a word to a file (0600); it is on disk when this resolves. */
export async function appendWord(path: string, word: object): Promise<void> {
  try {
    const handle = await open(path, "a", 0o600);
    try {
      await handle.appendFile(spellWord(word));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw cannotUse(path, cause);
  }
}

/** A word as its file holds it; the first line feed ends a line that a crash cut off. */
function spellWord(word: object): string {
  return `\n${JSON.stringify(word)}\n`;
}
