import type { RunEvent, Settled, Summary, SurveyReport } from "../model/counts.ts";
import type { RecPushError } from "../model/failure.ts";
import { escapeHidden } from "../model/text.ts";
import type { BatchEvent, ErrorEvent, SummaryEvent, SurveyEvent, ToldEvent } from "../model/told-event.ts";
import type { Reporter } from "./reporter.ts";

/** The version of the events' form: fields may be added, but nothing is ever changed or removed. */
const SCHEMA = 1;

/**
 * One event as a line of NDJSON, with the time at which it was reported; nothing in it can control a terminal that
 * shows it.
 */
export function formatEvent(event: string, fields: object, now: Date): string {
  return `${escapeHidden(JSON.stringify({ event, schema: SCHEMA, time: now.toISOString(), ...fields }))}\n`;
}

/** Events for programs: NDJSON on `stdout`, one object a line, tagged `event`. Errors come as `error` events. */
export function createJsonReporter(stdout: { write(line: string): unknown }, now: () => Date): Reporter {
  const write = ({ event, ...fields }: ToldEvent): void =>
    void stdout.write(formatEvent(event, fields, now()));
  return {
    emit(event) {
      const told = tellProgram(event);
      if (told !== undefined) write(told);
    },
    fail: (failure) => write(tellFailure(failure)),
    close: () => undefined,
  };
}

/** An event as programs get it; `undefined` for one that only people are shown. */
function tellProgram(event: RunEvent): ToldEvent | undefined {
  switch (event.kind) {
    case "run": {
      const { run, table, url, files, configs = [] } = event;
      const used = configs.map(({ path, table, profile }) => ({ path, table, profile }));
      return { event: "run", run, table, url, files, configs: used };
    }
    case "survey":
      return tellSurvey(event.survey);
    case "resumed":
      return { event: "resumed", file: event.file, run: event.run, settledRows: event.settledRows };
    case "notice":
      return { event: "notice", file: event.file, ...event.notice };
    case "settled":
      return batchOf(event.file, event.settled);
    case "reject": {
      const { line, record, column, cell, header, field, value, reason, hint } = event.problem;
      const about = { line, record, column, cell, header, field, value, reason, hint };
      return { event: "reject", file: event.file, ...(about as typeof event.problem) };
    }
    case "waiting":
      return { event: "waiting", ms: event.forMs, reason: event.why, isAsked: event.isAsked };
    case "summary":
      return summaryOf(event.summary);
    case "request":
    case "surveying":
    case "ready":
    case "problems":
    case "progress":
      return undefined;
  }
}

/** A failure as programs get it. */
export function tellFailure({ kind, code, message, hint, place }: RecPushError): ErrorEvent {
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
  const { invalidBytes: _, ...found } = counts;
  return { event: "survey", ...about, ...found, superseded, columns, notices, unpinned };
}

function batchOf(file: string, { batch, kind, records, ...settled }: Settled): BatchEvent {
  const first = { file, line: records.at(0)?.line };
  const last = { file, line: records.at(-1)?.line };
  const { length: rows } = records;
  return { event: "batch", batch, kind, rows, first, last, ...settled, status: settled.status ?? null };
}

function summaryOf(summary: Summary): SummaryEvent {
  const { run, read, counts, ...rest } = summary;
  return { event: "summary", run, read, ...counts, ...rest };
}
