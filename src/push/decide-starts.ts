import { showCell } from "../fields/spreadsheet-text.ts";
import { findUnmended } from "../files/rows-to-mend.ts";
import type { ComparisonForm } from "../ledger/comparison-form.ts";
import type { Start } from "../ledger/decide-start.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import { type RunEvent, showCount, type SurveyCounts } from "../model/counts.ts";
import { nameLines } from "../model/doubted-row.ts";
import { RecPushError } from "../model/failure.ts";
import { LATER_LINE } from "../model/marker-columns.ts";
import { cellOf } from "../model/rows.ts";
import type { RecordKind } from "../model/settlement.ts";
import { quoteText } from "../model/text.ts";
import { eachRecord, type StreamOptions } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { readRows } from "../read/read-rows.ts";
import { closeFinished, findLaterRuns, findLostRuns, findOpenRuns } from "../store/close-finished.ts";
import type { BookRun } from "../store/book-entries.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import { bookOf } from "../store/find-books.ts";
import { rangesOf } from "../store/number-ranges.ts";
import { pruneOldRuns } from "../store/prune-runs.ts";
import type { OrdinalsByKind } from "../store/read-journal.ts";
import { describeRecordPlan } from "../store/run-facts.ts";
import type { StoredRun } from "../store/summarise-run.ts";
import { placeOfTable } from "../store/table-place.ts";
import { readTouched } from "../store/touched-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf, refuseUnknownFields } from "./change-ledger.ts";
import { type DuplicateCheck, type LedgerAnswer, leftOutBy } from "./duplicate-check.ts";
import { originsOf } from "./rejects-origin.ts";
import { identityOf, type PushRequest, type RunKeeping, type RunOutputs, startOf } from "./run-outputs.ts";
import type { DecidedStarts } from "./send-input.ts";

/**
 * Throws a usage error if a resumed run would still send a key that a later run on the table has sent since: the older
 * value would be the one that stays. Runs of the files that are `before` this one in the command do not count: what they
 * sent is to be replaced.
 */
async function refuseStale(
  keeping: RunKeeping,
  stored: StoredRun,
  input: SurveyedInput,
  { read, before }: { readonly read: ReadOptions; readonly before: readonly SurveyedInput[] },
): Promise<void> {
  const contents = new Set(before.map((other) => identityOf(other, keeping).content));
  const later = await findLaterRuns(keeping.state, stored.run, stored.facts.identity, ({ content }) =>
    contents.has(content),
  );
  const found = await findTouched(keeping, later, input, { read, states: stored.account });
  if (found === undefined) return;
  throw stale(
    found,
    `the run ${stored.run} would bring older values back`,
    `give the run up: rec-push runs abandon ${stored.run}\nor, if its values are the right ones, go on with --stale-ok`,
  );
}

/** The same for mended rejects, whose rows are as old as the push that left them. */
async function refuseStaleRejects(
  keeping: RunKeeping,
  input: SurveyedInput,
  read: ReadOptions,
): Promise<void> {
  const origins = await originsOf(input, keeping);
  if (origins === undefined || origins.length === 0) return;
  const { state, target } = keeping;
  const isMended = ({ isRowsFile }: BookRun): boolean => isRowsFile === true;
  const later = await Promise.all(origins.map((run) => findLaterRuns(state, run, target, isMended)));
  const [first = [], ...others] = later;
  // A copy may be of any of them.
  const laterThanAll = first.filter(({ run }) => others.every((runs) => runs.some((one) => one.run === run)));
  const found = await findTouched(keeping, laterThanAll, input, { read });
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
async function refuseLaterRows(input: SurveyedInput, read: ReadOptions): Promise<void> {
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
  later: readonly BookRun[],
  input: SurveyedInput,
  options: StreamOptions,
): Promise<TouchedRows | undefined> {
  const isTouched = await readTouched(placeOfTable(state, target), later);
  if (isTouched === undefined) return undefined;
  const named: Pick<TouchedRows, "line" | "key">[] = [];
  let rows = 0;
  await eachRecord(input, options, ({ key, line }) => {
    if (key === undefined || !isTouched(key)) return;
    rows += 1;
    if (named.length <= MOST_NAMED) named.push({ line, key });
  });
  const [first, ...others] = named;
  return first && { file: input.source.name, ...first, others: others.map(({ line }) => line), rows };
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

/** A command whose inputs are about to start. */
interface StartingControl {
  readonly request: PushRequest;
  readonly books: RunOutputs;
  readonly duplicates: DuplicateCheck | undefined;
  /** Called once it is known how all of them start, before the ledger is asked; if it throws, the command stops. */
  readonly onStarts: (starts: readonly Start[]) => Promise<void>;
}

/** Decides how every input starts, before any is sent. Throws if one of them must not start. */
export async function decideStarts(
  inputs: readonly SurveyedInput[],
  { request, books, duplicates, onStarts }: StartingControl,
): Promise<DecidedStarts> {
  const { keeping } = request;
  const starts: Start[] = [];
  const forms: ComparisonForm[] = [];
  const answers: (LedgerAnswer | undefined)[] = [];
  let leftOutRows = 0;
  if (keeping !== undefined) {
    if (keeping.shard === undefined) await pruneOldRuns(keeping);
    for (const [at, input] of inputs.entries()) {
      starts.push(await decide(input, request, keeping, inputs.slice(0, at)));
    }
    await onStarts(starts);
  }
  for (const [at, input] of inputs.entries()) {
    const start = starts[at];
    if (keeping !== undefined && start !== undefined) {
      refuseUnknownFields(input, keeping.exports);
      const begunWith = start.kind === "resume" ? start.stored.facts.compared : undefined;
      const form = comparisonOf(input.plan, identityFields(keeping.exports), begunWith);
      const isLast = at === inputs.length - 1;
      const answer = await duplicates?.ask(input, start, form, isLast, (doubtful) =>
        books.tally.noteEarlierDoubt(doubtful),
      );
      leftOutRows += leftOutBy(answer);
      forms.push(form);
      answers.push(answer);
    }
    if (start?.kind === "resume") await books.rejects.takeUp(at, start.stored.directory);
    leftOutRows += countLeftOut(start, input.report.counts);
  }
  if (keeping !== undefined) {
    await closeFinished(keeping);
    await (await bookOf(keeping.state, keeping.lock.table)).tidy(keeping.lock);
  }
  // With creates, the ledger has stopped the command.
  if (keeping !== undefined && inputs.every(({ report }) => report.counts.creates === 0))
    for (const run of await findLostRuns(keeping.state, keeping.target)) books.emit(lostNotice(run));
  const open = keeping === undefined ? [] : await findOpenRuns(keeping.state, keeping.target);
  books.tally.openRuns = open.map(({ run }) => run);
  const unmended =
    keeping === undefined || keeping.shard !== undefined
      ? []
      : await findUnmended(keeping.state, keeping.target);
  return {
    starts,
    forms,
    answers,
    openRuns: new Set(books.tally.openRuns),
    unmended: new Set(unmended),
    totalRows: books.tally.counts.notSent - leftOutRows,
  };
}

async function decide(
  input: SurveyedInput,
  request: PushRequest,
  keeping: RunKeeping,
  before: readonly SurveyedInput[],
): Promise<Start> {
  const { staleOk, shard } = keeping;
  const plan = describeRecordPlan(input, request.optionPlan);
  const start = await startOf(input, keeping, plan);
  if (start.kind === "resume" && !staleOk)
    await refuseStale(keeping, start.stored, input, { read: request.read, before });
  if (start.kind === "new" && !staleOk && shard === undefined) {
    await refuseLaterRows(input, request.read);
    await refuseStaleRejects(keeping, input, request.read);
  }
  if (start.kind !== "resume" || start.decision === undefined) return start;
  return { ...start, decision: await decideByFile(input, start.stored, start.decision, request.read) };
}

/** Said with updates, which go on although it is not known what a run created. */
function lostNotice(run: string): RunEvent {
  const text = `the journal of the run ${run} on this table is lost or damaged: no record without key is created in the table until it is said what it created; rec-push runs says how`;
  return { kind: "notice", notice: { text }, isAlwaysShown: true };
}

/** Rows of a surveyed input that are not sent because they were sent before. */
function countLeftOut(start: Start | undefined, counts: SurveyCounts): number {
  if (start === undefined) return 0;
  if (start.kind === "leftOut") return counts.updates + counts.creates;
  const createdBy = start.kind === "new" ? start.createdBy?.run : start.stored.facts.createdBy;
  return createdBy === undefined ? 0 : counts.creates;
}

/** A record in doubt. */
interface Doubted {
  readonly kind: RecordKind;
  readonly ordinal: number;
  readonly start: number;
  readonly line: number;
}

/**
 * The decision that a file of rows in doubt gives: the rows that are left in it are sent, the deleted ones count as
 * applied. Throws a usage error if it holds a row that is not in doubt.
 */
async function decideByFile(
  input: SurveyedInput,
  { account }: StoredRun,
  decision: DoubtDecision,
  read: ReadOptions,
): Promise<DoubtDecision> {
  const { file } = decision;
  if (file === undefined || account.doubt !== decision.doubt) return decision;
  const left = new Set(file.left);
  const deleted: Doubted[] = [];
  const nameLine = nameLines();
  for (const record of await findDoubted(input, account, read))
    if (!left.delete(nameLine(record.line))) deleted.push(record);
  const [other] = left;
  if (other !== undefined)
    throw new RecPushError(
      "usage",
      "doubt-file-changed",
      `${file.path}: the row of line ${other} is not in doubt; nothing is decided, and nothing was sent`,
      {
        hint: "delete whole rows only: those that are in the service; a row that is to be sent stays as it is",
      },
    );
  return { ...decision, applied: { update: ordinalsOf("update"), create: ordinalsOf("create") } };

  function ordinalsOf(kind: RecordKind): OrdinalsByKind[RecordKind] {
    return rangesOf(deleted.flatMap((record) => (record.kind === kind ? [record.ordinal] : [])));
  }
}

/** The records in doubt, in the order of the input. */
async function findDoubted(
  input: SurveyedInput,
  account: StoredRun["account"],
  read: ReadOptions,
): Promise<readonly Doubted[]> {
  const found: Doubted[] = [];
  await eachRecord(input, { read }, ({ kind, ordinal, rowStart: start, line }) => {
    if (account.standingOf(kind, ordinal) === "inDoubt") found.push({ kind, ordinal, start, line });
  });
  return found.sort((left, right) => left.start - right.start);
}
