import type { Writable } from "node:stream";
import type { ConfigUse, RunEvent, Summary, SurveyReport } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import type { Settled } from "../model/outcome.ts";
import { formatEvent } from "./json-event.ts";
import type { Reporter } from "./reporter.ts";

/**
 * NDJSON events on `stdout`, one object per line, tagged `event`. The names are a public interface: fields may be
 * added, never changed. Errors come as `error` events.
 */
export function createJsonReporter(stdout: Writable, now: () => Date): Reporter {
  const write = (event: string, fields: object): void => void stdout.write(formatEvent(event, fields, now()));
  return {
    emit(event) {
      const shown = toJson(event);
      if (shown !== undefined) write(...shown);
    },
    fail(failure: RecPushError) {
      const { kind, code, message, hint, place } = failure;
      write("error", { kind, code, message, hint, ...place });
    },
    close: () => undefined,
  };
}

function toJson(event: RunEvent): [event: string, fields: object] | undefined {
  switch (event.kind) {
    case "run": {
      const { run, table, url, files, configs = [] } = event;
      return ["run", { run, table, url, files, ...configFields(configs) }];
    }
    case "survey":
      return ["survey", surveyFields(event.survey)];
    case "resumed":
      return ["resumed", { file: event.file, run: event.run, settledRows: event.settledRows }];
    case "notice":
      return ["notice", { file: event.file, ...event.notice }];
    case "settled":
      return ["batch", batchFields(event.file, event.settled)];
    case "reject": {
      const { line, column, header, field, value, reason, hint } = event.problem;
      return ["reject", { file: event.file, line, column, header, field, value, reason, hint }];
    }
    case "waiting":
      return ["waiting", { ms: event.forMs, reason: event.why, isAsked: event.isAsked }];
    case "summary":
      return ["summary", summaryFields(event.summary)];
    case "request":
    case "surveying":
    case "problems":
    case "progress":
      return undefined;
  }
}

function configFields(configs: readonly ConfigUse[]): object {
  return {
    config: configs[0]?.path,
    configTable: configs.find(({ table }) => table !== undefined)?.table,
    profile: configs.find(({ profile }) => profile !== undefined)?.profile,
    configs: configs.map(({ path, table, profile }) => ({ path, table, profile })),
  };
}

function surveyFields({ reading, pins, counts, columns, notices }: SurveyReport): object {
  const { file, format, encoding, dialect, fingerprint } = reading;
  const unpinned = pins.map(({ option }) => option);
  const about = { file, format, encoding, dialect, fingerprint };
  if (counts === undefined) return { ...about, isStreamed: true, notices, unpinned };
  const superseded = counts.superseded === 0 ? undefined : counts.superseded;
  const { invalidBytes: _, ...told } = counts;
  return { ...about, ...told, superseded, columns, notices, unpinned };
}

function batchFields(file: string, { batch, kind, records, ...settled }: Settled): object {
  const first = { file, line: records[0]?.line };
  const last = { file, line: records.at(-1)?.line };
  return { batch, kind, rows: records.length, first, last, ...settled, status: settled.status ?? null };
}

function summaryFields(summary: Summary): object {
  const { run, read, counts, areOpenRunsNews: _, ...rest } = summary;
  return { run, read, ...counts, ...rest };
}
