import { readdir, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Draw } from "./random.ts";

/** Cuts what was written and not brought to disk, anywhere: what a power failure may do to journals and the content index. */
export async function losePower(stateHome: string, synced: string, draw: Draw): Promise<void> {
  const root = join(stateHome, "rec-push");
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && (entry.name === "journal" || entry.parentPath.endsWith("contents")))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  for (const path of files) {
    const { size } = await stat(path);
    const noted = await readFile(join(synced, encodeURIComponent(path)), "utf8").catch(() => "");
    const safe = Number(noted.split("\n").at(-2) ?? 0);
    await truncate(path, draw.between(Math.min(safe, size), size));
  }
}
