import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { listFiles } from "../corpus/list-files.ts";
import type { BaseFile } from "./fuzz-case.ts";

/** Longer files are cut: a fault shows in a few rows. */
const BASE_BYTES = 6_000;

/** The beginnings of all files below those directories that exist, in a stable order. */
export function loadBases(directories: readonly string[]): readonly BaseFile[] {
  const bases: BaseFile[] = [];
  for (const directory of directories.filter((path) => existsSync(path))) {
    for (const name of listFiles(directory)) {
      const stored = readFileSync(join(directory, name));
      const bytes = name.endsWith("packed.csv.gz") ? gunzipSync(stored) : stored;
      bases.push({ name, bytes: bytes.subarray(0, BASE_BYTES) });
    }
  }
  return bases;
}
