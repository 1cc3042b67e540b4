import type { OutputStream } from "./output-stream.ts";
import type { Progress } from "./progress.ts";

/** Writes lines to a stream for people. */
export type Tell = (lines: readonly string[]) => void;

/** Lines go to `stream` without the progress line getting in their way. */
export function tellOn(stream: OutputStream, progress: Progress): Tell {
  return (lines) => {
    if (lines.length > 0) progress.write(() => void stream.write(lines.map((line) => `${line}\n`).join("")));
  };
}
