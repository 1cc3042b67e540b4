import type { RunEvent } from "../model/event.ts";

/** Says how far a run is; told with every event, shows what it finds fit. */
export interface Progress {
  readonly update: (event: RunEvent) => void;
  /** Writes a line without the progress line getting in its way. */
  readonly write: (print: () => void) => void;
  /** Shows lines that still grow above the progress line; `undefined` where nothing is drawn. */
  readonly grow: ((lines: readonly string[]) => void) | undefined;
  readonly stop: () => void;
}

/** No progress at all: `--quiet`, `--no-progress`, `--json`. */
export const SILENT_PROGRESS: Progress = {
  update: () => undefined,
  write: (print) => print(),
  grow: undefined,
  stop: () => undefined,
};
