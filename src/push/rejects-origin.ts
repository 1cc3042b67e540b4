import { resolve } from "node:path";
import { showCell } from "../fields/spreadsheet-text.ts";
import { findRejectsAt } from "../files/rows-to-mend.ts";
import { countingSources, type ExportsOptions, type LedgerSource } from "../ledger/exports-rule.ts";
import { isMarkerColumn, LATER_LINE, NOT_KNOWN, REJECTED_RUN } from "../model/marker-columns.ts";
import { cellOf, type Row } from "../model/rows.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import { plannedOf } from "../shards/shard-plan.ts";
import type { Book } from "../store/book.ts";
import { bookOf, pushesOf } from "../store/find-books.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { ReadKeeping } from "./push-request.ts";

/** A row that a rejects file holds: the run that left it, and the later row that its file names, if it names one. */
interface RowOrigin {
  readonly run: string | undefined;
  readonly later: string;
}

/** Where the rows of a rejects file come from. */
export interface RowOrigins {
  /** The runs that left them first. */
  readonly runs: readonly string[];
  /** The run that wrote rejects to the place of the input. */
  readonly writer: string | undefined;
  /** How many of the rows name each run, the last one that left them. */
  readonly counts: ReadonlyMap<string, number>;
  /** The origin of the row that begins at this byte of the content. */
  readonly of: (start: number) => RowOrigin;
}

/** An input. `origins`: where its rows come from, if it holds rejects of earlier runs. */
export interface TracedInput {
  readonly input: SurveyedInput;
  readonly origins: RowOrigins | undefined;
}

/**
 * The runs that left the rows of an input to be mended, as its first column says or, for rows in which that is empty or
 * deleted, as its place; `undefined` for a file of other rows.
 */
export async function readOrigins(
  input: SurveyedInput,
  { state, target, cwd }: ReadKeeping,
  read: ReadOptions,
): Promise<RowOrigins | undefined> {
  const writer = await findRejectsAt({ state, target }, resolve(cwd, input.source.name));
  const book = await bookOf(state, target);
  const counts = new Map<string, number>();
  if (!hasMarkers(input)) {
    if (writer === undefined) return undefined;
    const origin = originOf(writer, "", book);
    return { runs: [origin.run ?? writer], writer, counts, of: () => origin };
  }
  // Rows of one origin follow each other: only the places where it changes are kept.
  const starts: number[] = [];
  const origins: RowOrigin[] = [];
  for await (const { columns, rows } of readRows(input.source, input.inspection, read)) {
    const [ofRun, ofLater] = [REJECTED_RUN, LATER_LINE].map((name) =>
      columns.findIndex((column) => column.trim() === name),
    ) as [number, number];
    for (const row of rows) {
      const named = textAt(row, ofRun);
      counts.set(named, (counts.get(named) ?? 0) + 1);
      const origin = originOf(named === "" ? writer : named, textAt(row, ofLater), book);
      const last = origins.at(-1);
      if (last?.run === origin.run && last?.later === origin.later) continue;
      starts.push(row.start);
      origins.push(origin);
    }
  }
  const runs = new Set(origins.flatMap(({ run }) => run ?? []));
  return {
    runs: [...runs],
    writer,
    counts,
    of: (start) => origins[lastNotAfter(starts, start)] ?? NO_ORIGIN,
  };
}

/**
 * The origin of rows that a run left. Rows that were mended in vain are as old as the run that left them first; if its own rows came
 * from several runs, that is not known.
 */
function originOf(run: string | undefined, later: string, book: Book): RowOrigin {
  const [first = run, ...others] = (run === undefined ? undefined : book.run(run)?.rowsOf) ?? [];
  return others.length === 0 ? { run: first, later } : { run, later: NOT_KNOWN };
}

const NO_ORIGIN: RowOrigin = { run: undefined, later: "" };

function textAt(row: Row, column: number): string {
  const cell = column === -1 ? undefined : cellOf(row, column);
  return cell === undefined || cell === null ? "" : showCell(cell).trim();
}

/** The place of the last of these rising numbers that is not above `limit`; -1 if there is none. */
function lastNotAfter(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** True for a file with columns that rejects have. */
function hasMarkers({ report }: Pick<SurveyedInput, "report">): boolean {
  // JSON has no header.
  const names = [...report.reading.columns, ...report.columns.map(({ header }) => header)];
  return names.some((name) => isMarkerColumn(name.trim()));
}

/**
 * The closed runs of which rejects hold all rows that are still to be mended: as many as they left, or what is in the file
 * that they wrote.
 */
export function takenBy({ runs, counts, writer }: RowOrigins, book: Book): readonly string[] {
  const isWhole = (run: string, name: string): boolean =>
    run === writer || (counts.get(name) ?? 0) >= (book.run(run)?.closed?.toMend ?? Infinity);
  // Of rows that several shards left, only one file that holds all counts.
  const taken = [...runs, ...counts.keys(), ...(writer === undefined ? [] : [writer])].flatMap((name) =>
    [name, plannedOf(name)].filter((run) => book.run(run)?.closed !== undefined && isWhole(run, name)),
  );
  return [...new Set(taken)];
}

/** The sources that count for an input; `begunAt`: when the run that it continues began. */
export async function sourcesFor(
  sources: readonly LedgerSource[],
  exports: Pick<ExportsOptions, "exports">,
  { input, origins }: TracedInput,
  keeping: ReadKeeping,
  begunAt?: string,
): Promise<readonly LedgerSource[]> {
  if (exports.exports !== "delta") return sources;
  const content = input.report.reading.fingerprint;
  // Rows that an earlier push of this file left, for instance in doubt, may have come in a later file.
  const [before] = await pushesOf(keeping.state, { ...keeping.target, content });
  const book = await bookOf(keeping.state, keeping.target);
  // Rejects count since the oldest run that left some of them began.
  const begun = origins?.runs.map((run) => book.run(run)?.startedAt ?? "").sort();
  const since = begun === undefined ? (begunAt ?? before?.startedAt) : (begun[0] ?? "");
  return countingSources(sources, exports, { content, since });
}
