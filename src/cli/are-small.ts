import { statSync } from "node:fs";

const MOST_BYTES = 4 * 1024 * 1024;

/** True if a push of these files is short, so that its start and its end are most of it. Never throws. */
export function areSmall(files: readonly string[]): boolean {
  let bytes = 0;
  for (const file of files) bytes += sizeOf(file);
  return bytes <= MOST_BYTES;
}

/** Infinity for standard input and for what cannot be looked at. */
function sizeOf(file: string): number {
  try {
    return file === "-" ? Infinity : statSync(file).size;
  } catch {
    return Infinity;
  }
}
