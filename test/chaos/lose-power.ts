import { readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Draw } from "./random.ts";

/** Directories whose names count: those that were not brought to disk may be gone after a power failure. */
const NAMED = /^tables(?:\/[^/]+(?:\/prints|\/runs(?:\/[^/]+)?)?)?$/;
/** Files whose contents count: all others are useless unless they are whole. */
const COUNTED = /^tables\/[^/]+\/(?:(?:prints\/)?[^/]+|runs\/[^/]+\/(?:journal|keys))$/;

/**
 * Takes away what was written and not brought to disk: names at random, and the ends of files at any byte, some of which become
 * zeros. This is what a power failure may do to journals, books, prints and locks of a state directory.
 */
export async function losePower(root: string, synced: string, draw: Draw): Promise<void> {
  for (const place of await list(root)) {
    const path = join(root, place.name);
    if (place.isDirectory && NAMED.test(place.name)) await loseNames(path, synced, draw);
    else if (!place.isDirectory && COUNTED.test(place.name))
      await loseEnd(path, synced, draw).catch((error: NodeJS.ErrnoException) => {
        // Another process was about to end, and has removed it.
        if (error.code !== "ENOENT") throw error;
      });
  }
}

/** Lists directories before what they contain. */
async function list(
  root: string,
): Promise<readonly { readonly name: string; readonly isDirectory: boolean }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .map((entry) => ({
      name: join(entry.parentPath, entry.name).slice(root.length + 1),
      isDirectory: entry.isDirectory(),
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function loseNames(directory: string, synced: string, draw: Draw): Promise<void> {
  const noted = await readLast(join(synced, `directory-${encodeURIComponent(directory)}`));
  const safe = new Set(noted === undefined ? [] : (JSON.parse(noted) as string[]));
  for (const name of (await readdir(directory).catch(() => [])).toSorted((one, other) =>
    one < other ? -1 : 1,
  ))
    if (!safe.has(name) && draw.percent(50)) await rm(join(directory, name), { recursive: true });
}

async function loseEnd(path: string, synced: string, draw: Draw): Promise<void> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  // Its name was lost.
  if (stats === undefined) return;
  const noted = await readLast(join(synced, `file-${stats.ino}-${stats.birthtimeNs}`));
  const size = Number(stats.size);
  const kept = draw.between(Math.min(Number(noted ?? 0), size), size);
  await truncate(path, kept);
  // The file system may have noted the new size before it wrote the bytes: then there are zeros.
  if (draw.percent(50)) await truncate(path, draw.between(kept, size));
}

async function readLast(path: string): Promise<string | undefined> {
  return (await readFile(path, "utf8").catch(() => "")).split("\n").at(-2);
}
