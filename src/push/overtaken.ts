import { EXPECTED_MS } from "../files/rows-to-mend.ts";
import { listLines } from "../ledger/ledger-questions.ts";
import { showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { IN_PART, LATER_LINE, NOT_KNOWN } from "../model/marker-columns.ts";
import type { PreparedRecord } from "../model/settlement.ts";
import { quoteText } from "../model/text.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import type { BookRun } from "../store/book-entries.ts";
import { bookOf } from "../store/find-books.ts";
import { type LaterKeys, NOTHING_KNOWN, type Overlap, readLaterKeys } from "../store/later-keys.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { placeOfTable } from "../store/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { identityOf, type ReadKeeping } from "./push-request.ts";
import type { RowOrigins, TracedInput } from "./rejects-origin.ts";

/**
 * Rows that come late: those of a run that is resumed, and mended rejects, which are as old as the run that left them. A
 * row is overtaken if later rows of its key were accepted since and give all its fields: it is not sent, because it would
 * only bring older values back. If they give only some, neither sending nor leaving out is right: a person decides.
 */

/** The updates of an input that are overtaken. */
export interface OvertakenRows {
  readonly rows: number;
  readonly isOvertaken: (update: PreparedRecord) => boolean;
}

/** An input that comes late. */
interface LateInput extends TracedInput {
  readonly keeping: ReadKeeping;
  readonly read: ReadOptions;
  /** The run that is resumed; the input may hold mended rejects if there is none. */
  readonly stored: StoredRun | undefined;
  /** The files before this one in the command: the same command sends their updates again, and this file's are to replace them. */
  readonly before: readonly SurveyedInput[];
  /** Reports something under `--quiet` too. */
  readonly tell: (text: string) => void;
}

/** The most rows that are named by their lines. */
const MOST_NAMED = 20;

/**
 * Finds the rows of an input that are overtaken, and says which. Throws a usage error if later rows give, or may have
 * given, only some of the fields of a row. `undefined` if no row is overtaken.
 */
export async function findOvertaken(late: LateInput): Promise<OvertakenRows | undefined> {
  const overlapOf = await overlapsOf(late);
  if (overlapOf === undefined) return undefined;
  const { input, read, stored, tell } = late;
  const file = input.source.name;
  const passed: NamedRows = { rows: 0, lines: [] };
  const others: NamedRows = { rows: 0, lines: [] };
  let first: { readonly key: string; readonly line: number; readonly overlap: Overlap } | undefined;
  await eachRecord(input, { read, states: stored?.account }, (record) => {
    const { key, line } = record;
    const overlap = key === undefined ? "none" : overlapOf(record);
    if (key === undefined || overlap === "none") return;
    if (overlap !== "all" && first === undefined) first = { key, line, overlap };
    else add(overlap === "all" ? passed : others, line);
  });
  if (first !== undefined) {
    const { key, line, overlap } = first;
    const what =
      overlap === "some"
        ? `later rows with the key ${quoteText(key)} were accepted, and give some of the fields of this row`
        : `it is not known what later runs have sent with the key ${quoteText(key)}`;
    const rest = others.rows > 0 ? ` (the same holds for ${describe(others, "more row")})` : "";
    throw new RecPushError(
      "stale-run",
      `${file}:${line}: ${what}${rest}: sent now, it could bring older values back`,
      { hint: waysOut(stored), place: { file, line } },
    );
  }
  if (passed.rows === 0) return undefined;
  tell(
    `${file}: ${describe(passed, "row")} ${passed.rows === 1 ? "is" : "are"} passed over: later rows with the same key were accepted, and give all the fields`,
  );
  return { rows: passed.rows, isOvertaken: (update) => overlapOf(update) === "all" };
}

/** Rows for a sentence, with the lines of the first ones. */
interface NamedRows {
  rows: number;
  readonly lines: number[];
}

function add(named: NamedRows, line: number): void {
  named.rows += 1;
  if (named.lines.length < MOST_NAMED) named.lines.push(line);
}

function describe({ rows, lines }: NamedRows, noun: string): string {
  return `${showCount(rows, noun)} (${listLines(lines, rows)})`;
}

function waysOut(stored: StoredRun | undefined): string {
  if (stored !== undefined)
    return `give the run up: rec-push runs abandon ${stored.run}\nor, if its values are the right ones, go on with --stale-ok`;
  return `delete the older cells from such rows, and what is in ${LATER_LINE}, or delete the rows\nor, if the values of the file are the right ones, push it with --stale-ok`;
}

/** Says of the updates of an input how far later rows overlap them; `undefined` if there are no later rows. */
async function overlapsOf({
  origins,
  keeping,
  stored,
  before,
}: LateInput): Promise<((update: PreparedRecord) => Overlap) | undefined> {
  const contents = new Set(before.map((other) => identityOf(other, keeping).content));
  // Mended rejects are older than the run that pushes them, also when that is resumed.
  if (origins === undefined) {
    const keys = stored && (await laterKeysOf(keeping, stored.run, contents));
    return keys && ((update) => keys.overlap(update));
  }
  const keysOf = new Map<string, LaterKeys>();
  for (const run of origins.runs) {
    const keys = await laterKeysOf(keeping, run, contents);
    if (keys !== undefined) keysOf.set(run, keys);
  }
  return (update) => overlapOfReject(update, origins, keysOf);
}

const LATER: Readonly<Partial<Record<string, Overlap>>> = { "": "none", [NOT_KNOWN]: "unknown" };

/** For a row of a rejects file: how far the later row that it names overtakes it. */
function overlapOfReject(
  update: PreparedRecord,
  origins: RowOrigins,
  keysOf: ReadonlyMap<string, LaterKeys>,
): Overlap {
  const { run, later } = origins.of(update.rowStart);
  const ofRun = LATER[later] ?? (later.endsWith(IN_PART) ? "some" : "all");
  const ofOthers = (run === undefined ? undefined : keysOf.get(run)?.overlap(update)) ?? "none";
  for (const overlap of ["all", "unknown", "some"] as const)
    if (ofRun === overlap || ofOthers === overlap) return overlap;
  return "none";
}

/** What was sent to the table after the rows of a run; `undefined` if nothing was. */
export async function laterKeysOf(
  { state, target }: ReadKeeping,
  run: string,
  passed: ReadonlySet<string> = new Set(),
): Promise<LaterKeys | undefined> {
  const book = await bookOf(state, target);
  const ageOf = new Map(book.runs.map((one, age) => [one.run, age]));
  const age = ageOf.get(run) ?? Infinity;
  // Runs that pushed mended rejects of the run left rows of it themselves.
  const same = new Set([
    run,
    ...book.runs.flatMap((one) => (one.rowsOf?.includes(run) === true ? one.run : [])),
  ]);
  const later: BookRun[] = [];
  const noted = Date.parse(book.run(run)?.startedAt ?? "") + EXPECTED_MS;
  for (const other of book.runs) {
    if (passed.has(other.content)) continue;
    if (other.olderRuns?.some((older) => same.has(older)) !== true) {
      // It noted no keys: by then the rejects should have been mended.
      if (other.rowsOf === undefined && Date.parse(other.startedAt) > noted) return NOTHING_KNOWN;
      continue;
    }
    // One that lost its journal may have sent some; one that was pruned had no older run left.
    if (other.closed?.exitCode !== undefined && other.closed.keys === undefined) continue;
    // Mended rejects are as old as the runs that left them.
    const areLater = other.rowsOf?.map((of) => (ageOf.get(of) ?? -1) > age) ?? [true];
    if (areLater.length > 0 && !areLater.includes(true)) continue;
    // Nobody noted which of the rows are the later ones.
    if (areLater.length === 0 || areLater.includes(false)) return NOTHING_KNOWN;
    later.push(other);
  }
  return readLaterKeys(placeOfTable(state, target), later);
}
