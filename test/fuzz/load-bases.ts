import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { BaseFile } from "./fuzz-case.ts";

/** Longer files are cut: a fault shows in a few rows. */
const BASE_BYTES = 6_000;

/** The beginnings of all files below a directory, in a stable order. */
export function loadBases(directory: string): readonly BaseFile[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.toSorted().map((path) => {
    const stored = readFileSync(path);
    const bytes = path.endsWith("packed.csv.gz") ? gunzipSync(stored) : stored;
    return { name: path.slice(directory.length), bytes: bytes.subarray(0, BASE_BYTES) };
  });
}
