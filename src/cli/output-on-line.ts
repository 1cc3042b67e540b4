import type { RawOptions } from "./program.ts";

/** The options that say how to tell an error, found on a command line that could not be read as a whole. */
export function outputOnLine(argv: readonly string[]): RawOptions {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const isToStdout = words.some(
    (word, at) => word === "--records=-" || (word === "--records" && words[at + 1] === "-"),
  );
  return {
    json: words.includes("--json"),
    quiet: words.some((word) => word === "--quiet" || word === "-q"),
    records: isToStdout ? "-" : undefined,
  };
}
