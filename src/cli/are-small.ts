import { statSync } from "node:fs";

const MOST_BYTES = 4 * 1024 * 1024;

/**
 * True if a push of these files is short, so that its start and its end are most of it. False for standard input, and if
 * one cannot be looked at.
 */
export function areSmall(files: readonly string[]): boolean {
  try {
    return files.reduce((bytes, file) => bytes + statSync(file).size, 0) <= MOST_BYTES;
  } catch {
    return false;
  }
}
