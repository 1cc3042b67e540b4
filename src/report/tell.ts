import type { OutputStream } from "./output-stream.ts";
import type { Progress } from "./progress.ts";
import { wrapLine } from "./wrap-line.ts";

/** In a narrower terminal, lines are left to be broken by the terminal. */
const NARROWEST = 20;

/** Writes lines to a stream for people. */
export type Tell = (lines: readonly string[]) => void;

/**
 * Writes lines to `stream` without interfering with the progress line; on a terminal they are wrapped between words.
 */
export function tellOn(stream: OutputStream, progress: Progress): Tell {
  return (lines) => {
    if (lines.length === 0) return;
    const { isTTY = false, columns = 0 } = stream;
    const wrapping = { columns, hasBackslash: process.platform !== "win32" };
    const shown = isTTY && columns >= NARROWEST ? lines.flatMap((line) => wrapLine(line, wrapping)) : lines;
    progress.write(() => void stream.write(shown.map((line) => `${line}\n`).join("")));
  };
}
