import type { Writable } from "node:stream";
import type { RunEvent } from "../model/event.ts";
import { showDuration } from "../model/quantities.ts";
import type { Progress } from "./progress.ts";
import { SILENT_PROGRESS } from "./progress.ts";

/** A longer wait is told, wherever the output goes. */
const TOLD_FROM_MS = 2000;
/** Under `--quiet`, only a longer one. */
const QUIET_FROM_MS = 60_000;

/** The line about an event if it is a wait worth telling, else `undefined`. */
export function waitLine(event: RunEvent, isQuiet = false): string | undefined {
  if (event.kind !== "waiting" || event.forMs <= (isQuiet ? QUIET_FROM_MS : TOLD_FROM_MS)) return undefined;
  return `waiting ${showDuration(event.forMs)}: ${event.why}\n`;
}

/** No progress but lines about long waits: `--quiet`, `--no-progress`, `--json`. */
export function createWaitLines(stderr: Writable, isQuiet: boolean): Progress {
  return {
    ...SILENT_PROGRESS,
    update(event) {
      const line = waitLine(event, isQuiet);
      if (line !== undefined) stderr.write(line);
    },
  };
}
