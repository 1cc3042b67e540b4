import type { RunEvent, Settled, Summary, SurveyReport } from "../model/counts.ts";
import type { RecPushError } from "../model/failure.ts";
import { escapeHidden } from "../model/text.ts";
import type { BatchEvent, ErrorEvent, SummaryEvent, SurveyEvent, ToldEvent } from "../model/told-event.ts";
import { partSteps } from "./advice.ts";
import type { Reporter } from "./reporter.ts";

/** The version of the events' form: fields may be added, but nothing is ever changed or removed. */
const SCHEMA = 1;

/** A run that stops for its rows tells no more of them: a hundred show what is wrong. */
const MOST_REJECTS = 100;

/**
 * One event as a line of NDJSON, with the time at which it was reported; nothing in it can control a terminal that
 * shows it. `next` are steps in words.
 */
export function formatEvent(event: string, fields: object, now: Date): string {
  const { next, ...others } = fields as { readonly next?: readonly string[] };
  const all = { event, schema: SCHEMA, time: now.toISOString(), ...others, next: next && partSteps(next) };
  return `${escapeHidden(JSON.stringify(all))}\n`;
}

/** An event whose steps are still in words. */
type Untold = Exclude<ToldEvent, SummaryEvent> | (Omit<SummaryEvent, "next"> & Pick<Summary, "next">);

/** Events for programs: NDJSON on `stdout`, one object a line, tagged `event`. Errors come as `error` events. */
export function createJsonReporter(stdout: { write(line: string): unknown }, now: () => Date): Reporter {
  const write = ({ event, ...fields }: Untold): void => void stdout.write(formatEvent(event, fields, now()));
  /** Files whose rows stop the run: their problems are counted before the first of them are told. */
  const stopping = new Set<string>();
  let [told, untold] = [0, 0];

  function isTold(event: RunEvent): boolean {
    if (event.kind === "problems") {
      stopping.add(event.file);
      untold += event.groups.reduce((sum, { rows }) => sum + rows, 0);
    } else if (event.kind === "reject" && stopping.has(event.file)) {
      if (told === MOST_REJECTS) return false;
      told += 1;
      untold -= 1;
    }
    return true;
  }

  return {
    emit(event) {
      const fields = isTold(event) ? tellProgram(event) : undefined;
      if (fields?.event === "summary" && untold > 0) write({ ...fields, untoldRejects: untold });
      else if (fields !== undefined) write(fields);
    },
    fail: (failure) => write(tellFailure(failure)),
    close: () => undefined,
  };
}

/** An event as programs get it; `undefined` for one that only people are shown. */
function tellProgram(event: RunEvent): Untold | undefined {
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

function summaryOf(summary: Summary): Untold {
  const { run, read, counts, ...rest } = summary;
  return { event: "summary", run, read, ...counts, ...rest };
}
