import type { RunEvent } from "../model/decimal-of.ts";
import type { RecPushError } from "../model/failure.ts";
import { type ReportedCommand, ReportGatherer } from "./page/gather-report.ts";
import { type ReportFormat, writeReport } from "./page/write-report.ts";

/** Joins several reporters into one that passes each event to all of them, in this order. */
export function joinReporters(parts: readonly Reporter[]): Reporter {
  const paced = parts.find((part) => part.caughtUp !== undefined);
  return {
    ...(paced === undefined ? {} : { caughtUp: () => paced.caughtUp?.() }),
    emit: (event) => parts.forEach((part) => part.emit(event)),
    fail: (failure) => parts.forEach((part) => part.fail(failure)),
    close: () => parts.forEach((part) => part.close()),
  };
}

/** Where a report goes. */
export interface ReportPlace {
  readonly format: ReportFormat;
  /** Puts a text there, whole or not at all. */
  readonly replace: (text: string) => void;
  /** Called at most once, if the report cannot be written at the end, which never stops a push. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Writes a report of a command: first one that says that the command has not ended, and one at every end. Throws what
 * `replace` throws at the beginning, when nothing is sent yet.
 */
export function createReportFile(
  { format, replace, onLost }: ReportPlace,
  command: ReportedCommand,
): Reporter {
  const gatherer = new ReportGatherer(command);
  let isWritten = true;
  let isLost = false;
  replace(writeReport(gatherer.report(), format));
  return {
    emit(event) {
      isWritten = false;
      gatherer.add(event);
    },
    fail(failure) {
      isWritten = false;
      gatherer.fail(failure);
    },
    close() {
      if (isWritten || isLost) return;
      isWritten = true;
      try {
        replace(writeReport(gatherer.report(), format));
      } catch (error) {
        isLost = true;
        onLost(error);
      }
    },
  };
}

/** Turns the events of a run into words or JSON, one for each kind of output; nothing else writes during a run. */
export interface Reporter {
  readonly emit: (event: RunEvent) => void;
  /** Prints the reason why the run stopped, before the summary. */
  readonly fail: (failure: RecPushError) => void;
  /** Resolves once what was told is taken, where somebody takes it at their own pace; `undefined` if nobody is behind. */
  readonly caughtUp?: () => Promise<void> | undefined;
  /** Removes what is only shown during the run: the progress line. */
  readonly close: () => void;
}
