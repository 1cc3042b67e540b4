import type { RunEvent } from "../model/event.ts";
import { showDuration, showInteger } from "./quantities.ts";
import { showText } from "../model/visible-text.ts";

/** Says how far a run is; told with every event, shows what it finds fit. */
export interface Progress {
  readonly update: (event: RunEvent) => void;
  /** Writes a line without the progress line getting in its way. */
  readonly write: (print: () => void) => void;
  readonly stop: () => void;
}

/** No progress at all: `--quiet`, `--no-progress`, `--json`. */
export const SILENT_PROGRESS: Progress = {
  update: () => undefined,
  write: (print) => print(),
  stop: () => undefined,
};

/** The words for how far a run is; `undefined` for events that do not change it. `now` in milliseconds. */
export function createProgressText(): (event: RunEvent, now: number) => string | undefined {
  let sendingSince: number | undefined;
  return (event, now) => {
    switch (event.kind) {
      case "surveying":
        return `reading ${showText(event.file)}: ${showInteger(event.rows)} rows`;
      case "waiting":
        return `waiting ${showDuration(event.forMs)}: ${event.why}`;
      case "progress": {
        sendingSince ??= now;
        const { settledRows, totalRows } = event;
        if (totalRows === undefined) return `${showInteger(settledRows)} rows`;
        const percent = Math.floor((100 * settledRows) / totalRows);
        const left = ((now - sendingSince) * (totalRows - settledRows)) / settledRows;
        const about = now - sendingSince > 2000 && left > 0 ? `, about ${showDuration(left)} left` : "";
        return `${showInteger(settledRows)} of ${showInteger(totalRows)} rows, ${percent} %${about}`;
      }
      case "run":
      case "resumed":
      case "survey":
      case "notice":
      case "settled":
      case "reject":
      case "problems":
      case "summary":
        return undefined;
    }
  };
}
