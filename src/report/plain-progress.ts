import type { Writable } from "node:stream";
import { createProgressText, type Progress } from "./progress.ts";

/** One line now and then, so that a log of a long run shows that it lives. */
const MS_BETWEEN_LINES = 15_000;

/** Progress for logs: plain lines on standard error; none in a run shorter than the interval. */
export function createPlainProgress(stderr: Writable, now: () => number = () => performance.now()): Progress {
  const describe = createProgressText();
  let last = now();
  return {
    update(event) {
      const text = describe(event, now());
      if (text === undefined || now() - last < MS_BETWEEN_LINES) return;
      last = now();
      stderr.write(`${text}\n`);
    },
    write: (print) => print(),
    stop: () => undefined,
  };
}
