import { type ReportedCommand, ReportGatherer } from "./page/gather-report.ts";
import { type ReportFormat, writeReport } from "./page/write-report.ts";
import type { Reporter } from "./reporter.ts";

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
