import { showCell } from "../fields/spreadsheet-text.ts";
import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { LATER_LINE } from "../model/marker-columns.ts";
import { cellOf } from "../model/rows.ts";
import { quoteText } from "../model/text.ts";
import { prepareRecords } from "../prepare/prepare-records.ts";
import { type Selection, selectionOf, selectRecords } from "../prepare/select.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import { findLaterRuns } from "../store/close-finished.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { placeOfRun, placeOfTable } from "../store/table-place.ts";
import { readTouched } from "../store/touched-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { originsOf } from "./rejects-origin.ts";
import { identityOf, type RunKeeping } from "./run-outputs.ts";

/**
 * Throws a usage error if a resumed run would still send a key that a later run on the table has sent since: the older
 * value would be the one that stays. Runs of the files that are `before` this one in the command do not count: what they
 * sent is to be replaced.
 */
export async function refuseStale(
  keeping: RunKeeping,
  stored: StoredRun,
  input: SurveyedInput,
  { read, before }: { readonly read: ReadOptions; readonly before: readonly SurveyedInput[] },
): Promise<void> {
  const contents = new Set(before.map((other) => identityOf(other, keeping).content));
  const later = await findLaterRuns(keeping.state, stored.run, stored.facts.identity, ({ facts }) =>
    contents.has(facts.identity.content),
  );
  const isSettled: Selection["isSettled"] = (kind, ordinal) =>
    stored.account.standingOf(kind, ordinal) !== undefined;
  const found = await findTouched(keeping, later, input, read, { isSettled });
  if (found === undefined) return;
  throw stale(
    found,
    `the run ${stored.run} would bring older values back`,
    `give the run up: rec-push runs abandon ${stored.run}\nor, if its values are the right ones, go on with --stale-ok`,
  );
}

/** The same for mended rejects, whose rows are as old as the push that left them. */
export async function refuseStaleRejects(
  keeping: RunKeeping,
  input: SurveyedInput,
  read: ReadOptions,
): Promise<void> {
  const origins = await originsOf(input, keeping);
  if (origins === undefined || origins.length === 0) return;
  const { state, target } = keeping;
  const isMended = ({ facts }: StoredRun): boolean => facts.isRowsFile === true;
  const later = await Promise.all(origins.map((run) => findLaterRuns(state, run, target, isMended)));
  const [first = [], ...others] = later;
  // A copy may be of any of them.
  const laterThanAll = first.filter((run) => others.every((runs) => runs.includes(run)));
  const found = await findTouched(keeping, laterThanAll, input, read);
  if (found === undefined) return;
  throw stale(
    found,
    `${found.rows === 1 ? "this row is" : "these rows are"} of an earlier push, ${origins.join(" or ")}, and would bring older values back`,
    "delete such rows from the file if the later values are right\nor, if those of the file are, push it with --stale-ok",
  );
}

/**
 * Throws a usage error if rows of a rejects file have a later row with the same key that was accepted, as their last added
 * column says.
 */
export async function refuseLaterRows(input: SurveyedInput, read: ReadOptions): Promise<void> {
  const { source, inspection, report } = input;
  const names = [...report.reading.columns, ...report.columns.map(({ header }) => header)];
  if (!names.some(isLaterLine)) return;
  let first: { readonly line: number; readonly later: string } | undefined;
  const others: number[] = [];
  let rows = 0;
  for await (const chunk of readRows(source, inspection, read)) {
    const column = chunk.columns.findIndex(isLaterLine);
    for (const row of column === -1 ? [] : chunk.rows) {
      const cell = cellOf(row, column);
      const later = cell === undefined ? "" : showCell(cell).trim();
      if (later === "") continue;
      rows += 1;
      if (first === undefined) first = { line: row.line, later };
      else if (others.length < MOST_NAMED) others.push(row.line);
    }
    chunk.rows.release();
  }
  if (first === undefined) return;
  const { line, later } = first;
  throw new RecPushError(
    "usage",
    "later-rows",
    `${source.name}:${line}: a later row with the same key (line ${quoteText(later)}) was accepted${describeOthers({ rows, others }, "so for")}; a push would bring older values back`,
    {
      hint: `delete the rows with a ${LATER_LINE} from the file if the later values are right\nor, if those of the file are, push it with --stale-ok`,
      place: { file: source.name, line },
    },
  );
}

function isLaterLine(name: string): boolean {
  return name.trim() === LATER_LINE;
}

/** The rows whose keys later runs have sent. */
interface TouchedRows {
  readonly file: string;
  /** Of the first one. */
  readonly line: number;
  readonly key: string;
  /** The lines of the others, as far as they are named. */
  readonly others: readonly number[];
  readonly rows: number;
}

/** The most other rows that are named by their lines. */
const MOST_NAMED = 20;

async function findTouched(
  { state, target }: RunKeeping,
  later: readonly string[],
  input: SurveyedInput,
  read: ReadOptions,
  selection: Pick<Selection, "isSettled"> = {},
): Promise<TouchedRows | undefined> {
  const table = placeOfTable(state, target);
  const directories = later.map((run) => placeOfRun(table, run));
  const isTouched = await readTouched(directories);
  if (isTouched === undefined) return undefined;
  const prepared = prepareRecords(input, { read });
  let first: Pick<TouchedRows, "line" | "key"> | undefined;
  let rows = 0;
  const others: number[] = [];
  for await (const { records } of selectRecords(prepared, { ...selectionOf(input), ...selection })) {
    for (const { key, line } of records) {
      if (key === undefined || !isTouched(key)) continue;
      rows += 1;
      if (first === undefined) first = { line, key };
      else if (others.length < MOST_NAMED) others.push(line);
    }
  }
  return first && { file: input.source.name, ...first, others, rows };
}

function stale(found: TouchedRows, why: string, hint: string): RecPushError {
  const { file, line, key } = found;
  return new RecPushError(
    "usage",
    "stale-run",
    `${file}:${line}: a later run on this table has sent the key ${quoteText(key)} since${describeOthers(found)}; ${why}`,
    { hint, place: { file, line } },
  );
}

function describeOthers({ rows, others }: Pick<TouchedRows, "rows" | "others">, how?: string): string {
  if (rows === 1) return "";
  const more = rows - 1 > others.length ? " ..." : "";
  return `, and ${how ?? `${rows === 2 ? "that" : "those"} of`} ${showCount(rows - 1, "more row")} (${others.length === 1 ? "line" : "lines"} ${others.join(", ")}${more})`;
}
