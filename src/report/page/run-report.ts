import type { ColumnReport, Counts, Summary } from "../../model/event.ts";
import type { Settled } from "../../model/outcome.ts";

/** One input, as far as its survey got. */
export interface ReportedFile {
  readonly file: string;
  readonly format: string;
  /** `CSV with ";", windows-1252, header in line 3` */
  readonly reading: string;
  readonly encoding: string;
  readonly delimiter: string | undefined;
  readonly headerLine: number | undefined;
  readonly rows: number;
  readonly updates: number;
  readonly creates: number;
  readonly skipped: number;
  readonly invalid: number;
  readonly columns: readonly ColumnReport[];
  /** Number of columns beyond the limit. */
  readonly otherColumns: number;
  readonly notices: readonly string[];
  readonly unpinned: readonly string[];
}

/** Rows of one file with the same problem. */
export interface RejectGroup {
  readonly file: string;
  readonly column: number | undefined;
  /** True for a column of a workbook, whose cells have names. */
  readonly isSheet: boolean;
  readonly header: string | undefined;
  readonly field: string | undefined;
  readonly reason: string;
  readonly hint: string | undefined;
  readonly rows: number;
  /** The first lines, in the order in which they came. */
  readonly lines: readonly number[];
  /** The first JSON records, in the same order, if their lines do not tell which they are. */
  readonly records?: readonly number[] | undefined;
  /** The first different values. */
  readonly values: readonly string[];
}

/** Batches with the same answer and outcome. */
export interface ReportedAnswer extends Pick<Settled, "kind" | "outcome" | "msg"> {
  readonly status: number | null;
  readonly batches: number;
  readonly rows: number;
}

/** Why a command stopped, and what settles it. */
export interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** The batches that settled in one step of time. */
export interface TimelinePoint {
  /** The beginning of the step, since the first request. */
  readonly atMs: number;
  readonly rows: number;
  readonly batches: number;
  /** From the first attempt of a batch to its end; `null` if none settled. */
  readonly meanMs: number | null;
  readonly longestMs: number | null;
}

/**
 * How one command went, as data: the content of `report.json`, and everything that the page shows. Lists are limited in
 * length and say how many entries they leave out. The names are a public interface: they may be added, never changed.
 */
export interface RunReport {
  readonly report: "rec-push";
  readonly schema: 1;
  readonly version: string;
  readonly command: "push" | "check";
  /** `running`: the command has not ended, or was killed before it could say how. */
  readonly state: "running" | "ended";
  readonly startedAt: string;
  readonly writtenAt: string;
  readonly run: string;
  readonly table: string;
  readonly url: string;
  readonly read: number;
  readonly counts: Counts | undefined;
  readonly summary: Omit<Summary, "read" | "counts" | "areOpenRunsNews"> | undefined;
  readonly errors: readonly ReportedError[];
  readonly otherErrors: number;
  readonly files: readonly ReportedFile[];
  readonly otherFiles: number;
  readonly rejects: readonly RejectGroup[];
  /** Number of problems with reasons beyond the limit. */
  readonly otherRejects: number;
  readonly answers: readonly ReportedAnswer[];
  /** Number of batches with answers beyond the limit. */
  readonly otherAnswers: number;
  readonly notices: readonly string[];
  readonly otherNotices: number;
  /** Rows that an earlier process of the run had settled. */
  readonly settledBefore: number;
  readonly waits: { readonly times: number; readonly ms: number };
  readonly timeline: { readonly stepMs: number; readonly points: readonly TimelinePoint[] };
}
