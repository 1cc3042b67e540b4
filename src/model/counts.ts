import type { ProblemGroup, RowProblem } from "./rows.ts";
import type { Notice, Pin, Reading } from "./reading.ts";
import type { RecordKind, RecordList, Settlement } from "./settlement.ts";

/** The decimal mark of an amount's format. */
export function markOf(format: string): "," | "." {
  return format === "decimal comma" ? "," : ".";
}

/** The name of an outcome in a sentence. */
export const OUTCOME_WORDS = {
  accepted: "accepted",
  refused: "refused",
  failed: "failed",
  inDoubt: "in doubt",
  rejected: "rejected",
  notSent: "not sent",
  skipped: "skipped",
} as const;

/** How many rows became what: `5 accepted, 1 in doubt`. */
export function describeCounts(
  counts: Counts,
  words: Readonly<Record<Outcome, string>> = OUTCOME_WORDS,
): string {
  return (Object.keys(OUTCOME_WORDS) as Outcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${showInteger(counts[outcome])} ${words[outcome]}`)
    .join(", ");
}

/** `1,203` */
export function showInteger(value: number): string {
  // Done by hand because loading the data of Intl takes longer than pushing a small file.
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 row`, `1,203 rows`, `2 batches`, `3 retries`, `4 processes` */
export function showCount(value: number, unit: string): string {
  return `${showInteger(value)} ${value === 1 ? unit : pluralOf(unit)}`;
}

/** `1 of 1 row`, `3 of 1,203 rows` */
export function showShare(some: number, all: number, unit: string): string {
  return `${showInteger(some)} of ${showCount(all, unit)}`;
}

/** `1 row is`, `2 rows are` */
export function showCountIs(value: number, unit: string): string {
  return `${showCount(value, unit)} ${value === 1 ? "is" : "are"}`;
}

function pluralOf(unit: string): string {
  if (/ch$|ss$/.test(unit)) return `${unit}es`;
  return /[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}

/** `line 7`, `lines 2-501` */
export function showLines(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** The figures of a used column, over the rows that give a record. */
export interface ColumnFigures {
  readonly field: string;
  readonly kind: "text" | "digits" | "amount" | "date";
  /** Records in which it has a value. */
  readonly filled: number;
  /** The sum of its amounts, for `writeSum`; `undefined` also if one of them has too many decimals. */
  readonly sum?: bigint | undefined;
}

/** How a column goes into the records, as the survey settled it. */
export interface ColumnReport {
  /** 1-based position. */
  readonly column: number;
  readonly header: string;
  /** `undefined` if the column is dropped, or {@link isUndeclared}. */
  readonly field: string | undefined;
  /** True for a column without a field that nothing drops: all its cells are empty, so that it raised no question. */
  readonly isUndeclared?: boolean;
  readonly type: "text" | "digits" | "amount" | "date" | undefined;
  /** True for a column that goes to a field by its name although it was not declared. */
  readonly isOther: boolean;
  /** `new`: no config declares the field, and it is not built in; `guessed`: found by the words of the header. */
  readonly mark?: "new" | "guessed" | undefined;
  /** `DD/MM/YYYY`, `decimal comma`; `undefined` if nothing had to be settled. */
  readonly format: string | undefined;
  /** `line 412 "26/03/2024"`, `--date-format`, `the other date columns`. */
  readonly settledBy: string | undefined;
  /** Up to three different values, as read and as sent. */
  readonly samples: readonly { readonly before: string; readonly after: string }[];
}

/** Rows that the survey counted. */
export interface SurveyCounts {
  readonly rows: number;
  readonly updates: number;
  readonly creates: number;
  /** Rows with nothing to send. */
  readonly skipped: number;
  /** Rows left out because a later row has their key (`--on-repeat last`). */
  readonly superseded: number;
  /** Rows with at least one problem. */
  readonly invalid: number;
  /** Rows whose key an earlier row has, as far as they were counted. */
  readonly repeatedKeys: number;
  /** True if there were more keys than can be counted, so that `repeatedKeys` is a lower bound. */
  readonly repeatedKeysBounded: boolean;
}

/** The findings of the first pass over one input. */
export interface SurveyReport {
  readonly reading: Reading;
  readonly counts: SurveyCounts;
  /** The first problems, up to a limit; `invalid` counts all rows that have any. */
  readonly problems: readonly RowProblem[];
  /** All problems, with like ones grouped. */
  readonly groups: readonly ProblemGroup[];
  readonly columns: readonly ColumnReport[];
  readonly notices: readonly Notice[];
  readonly pins: readonly Pin[];
}

/** Rows per outcome; they add up to the rows read. */
export type Counts = Readonly<Record<Outcome, number>>;

/** Records of one batch that a run has in doubt. */
export interface PlaceInDoubt {
  readonly run: string;
  readonly file: string;
  readonly kind: RecordKind;
  readonly rows: number;
  /** The lines of the first and the last record. */
  readonly first: number;
  readonly last: number;
}

/** A file with the rows that a run has in doubt. */
export interface DoubtFile {
  readonly run: string;
  readonly path: string;
  readonly rows: number;
  /** How many rows are left in it, if somebody has deleted some. */
  readonly left?: number;
  /** Why nobody can decide with it, if somebody has changed it otherwise. */
  readonly fault?: string;
}

/** A config that is used, and which parts of it. */
export interface ConfigUse {
  /** Absolute path. */
  readonly path: string;
  /** The tables that it has a section for. */
  readonly tables: readonly string[];
  /** The table whose section is used; `undefined` if none is. */
  readonly table?: string;
  readonly profile?: string;
}

/** What a push is about to send. */
export interface ToSend {
  /** The columns that go to the key; none if every row creates a record. */
  readonly keys: readonly string[];
  readonly updates: number;
  readonly creates: number;
  /** Records that open runs have left. */
  readonly rest: number;
  /** Creates that are left out: they were created before. */
  readonly createdBefore: number;
  /** Creates that are left out, and were created before with other values. */
  readonly differ: number;
}

/** The outcome of a row. The JSON events have the same names. */
export type Outcome = "accepted" | "refused" | "failed" | "inDoubt" | "rejected" | "notSent" | "skipped";

/** The records that one request settled; the halves of a batch settle separately, and share its number. */
export interface Settled extends Omit<Settlement, "ordinals"> {
  readonly records: RecordList;
  /** From the first attempt to settling, in milliseconds. */
  readonly ms: number;
}
