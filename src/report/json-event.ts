import type { SurveyReport } from "../model/counts.ts";
import type { RecPushError } from "../model/failure.ts";
import { escapeHidden } from "../model/text.ts";
import { type ErrorEvent, rejectEvent, type SurveyEvent } from "../model/event.ts";
import type { Reporter } from "./reporter.ts";

/** The version of the events' form: fields may be added, but nothing is ever changed or removed. */
const SCHEMA = 1;

/** A run that stops for its rows reports no more of them: a hundred show the fault. */
const MOST_REJECTS = 100;

/**
 * One event as a line of NDJSON, with the time at which it was reported; nothing in it can control a terminal that
 * shows it.
 */
export function formatEvent(event: string, fields: object, now: Date): string {
  return `${escapeHidden(JSON.stringify({ event, schema: SCHEMA, time: now.toISOString(), ...fields }))}\n`;
}

/** Events for programs: NDJSON on `stdout`, one object a line, tagged `event`. Errors come as `error` events. */
export function createJsonReporter(stdout: { write(line: string): unknown }, now: () => Date): Reporter {
  const write = ({ event, ...fields }: { readonly event: string }): void =>
    void stdout.write(formatEvent(event, fields, now()));
  let [told, untold] = [0, 0];

  return {
    emit(event) {
      switch (event.event) {
        case "survey":
          return write(tellSurvey(event.survey));
        case "summary":
          return write({ ...event, ...(untold > 0 && { untoldRejects: untold }) });
        case "problems": {
          const shown = event.first.slice(0, MOST_REJECTS - told);
          told += shown.length;
          untold += event.groups.reduce((sum, { rows }) => sum + rows, -shown.length);
          return shown.forEach((problem) => write(rejectEvent(event.file, problem)));
        }
        case "surveying":
        case "ready":
        case "progress":
          return undefined;
        case "run":
        case "resumed":
        case "reject":
        case "notice":
        case "batch":
        case "waiting":
          return write(event);
      }
    },
    fail: (failure) => write(failureFields(failure)),
    close: () => undefined,
  };
}

/** A failure as programs get it. */
export function failureFields({ kind, code, message, hint, place }: RecPushError): ErrorEvent {
  return { event: "error", kind, code, message, hint, ...place };
}

/** The findings of a survey as programs get them. */
export function tellSurvey({ reading, pins, counts, columns, notices }: SurveyReport): SurveyEvent {
  const { file, format, encoding, dialect, sheet, fingerprint } = reading;
  const unpinned = pins.map(({ option }) => option);
  // The rows of a workbook have neither an encoding nor a delimiter.
  const about =
    format === "xlsx"
      ? { file, format, sheet, headerLine: dialect?.headerLine, fingerprint }
      : { file, format, encoding, ...(dialect === undefined ? {} : { dialect }), fingerprint };
  const superseded = counts.superseded === 0 ? undefined : counts.superseded;
  return { event: "survey", ...about, ...counts, superseded, columns, notices, unpinned };
}
