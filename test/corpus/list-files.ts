import { readdirSync } from "node:fs";
import { join } from "node:path";

/** All files below a directory, as paths relative to it, in a stable order. */
export function listFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length).replace(/^\/+/, ""))
    .toSorted();
}
