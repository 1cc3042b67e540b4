import type { Writable } from "node:stream";
import type { Progress } from "./progress.ts";
import { progressParts } from "./progress-line.ts";
import { RunProgress } from "./run-progress.ts";
import { steadyMs } from "../model/steady-ms.ts";
import { waitLine } from "./wait-lines.ts";

const MS_BETWEEN_LINES = 60_000;
const MS_BETWEEN_LOOKS = 1000;

/** Time, and calls at regular intervals until the returned function is called; tests have their own. */
export interface Ticker {
  readonly now: () => number;
  readonly every: (ms: number, look: () => void) => () => void;
}

/** The clock of this process. The timer does not keep the process alive. */
export const SYSTEM_TICKER: Ticker = {
  now: steadyMs,
  every(ms, look) {
    const timer = setInterval(look, ms).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Progress for logs: a plain line per minute on standard error, one for each wait of more than two seconds, and one when the service stops
 * answering; none in a short run.
 */
export function createPlainProgress(stderr: Writable, { now, every }: Ticker = SYSTEM_TICKER): Progress {
  const progress = new RunProgress();
  let lastMs = now();
  let isSilent = false;
  const tell = (): void => {
    const view = progress.view(now());
    if (view === undefined) return;
    lastMs = now();
    stderr.write(`${progressParts(view).join(", ")}\n`);
  };
  const stop = every(MS_BETWEEN_LOOKS, () => {
    const wasSilent = isSilent;
    isSilent = progress.view(now())?.silentMs !== undefined;
    if ((isSilent && !wasSilent) || now() - lastMs >= MS_BETWEEN_LINES) tell();
  });
  return {
    update(event) {
      progress.note(event, now());
      const line = waitLine(event);
      if (line === undefined) return;
      stderr.write(line);
      lastMs = now();
    },
    write: (print) => print(),
    grow: undefined,
    stop,
  };
}
