import type { RunEvent } from "../model/event.ts";

/** Shows how far a run is; gets every event, and shows what it considers useful. */
export interface Progress {
  readonly update: (event: RunEvent) => void;
  /** Writes a line without interfering with the progress line. */
  readonly write: (print: () => void) => void;
  /** Shows lines that still grow above the progress line; `undefined` if nothing is drawn. */
  readonly grow: ((lines: readonly string[]) => void) | undefined;
  readonly stop: () => void;
}

/** No progress at all, where nothing is sent. */
export const SILENT_PROGRESS: Progress = {
  update: () => undefined,
  write: (print) => print(),
  grow: undefined,
  stop: () => undefined,
};
