import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { leavesCreatesUnmended } from "../files/rows-to-mend.ts";
import type { EarlierPush, Start } from "../ledger/decide-start.ts";
import { EXIT, exitCode } from "../model/exit-code.ts";
import { interruption, RecPushError } from "../model/failure.ts";
import { type PreparedRecord, recordJson } from "../model/settlement.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { shardWords } from "../shards/open-shard.ts";
import { countRun } from "../store/count-run.ts";
import { KeyNotes } from "../store/later-keys.ts";
import { OpenRun } from "../store/open-run.ts";
import { describeRecordPlan, type RunFacts } from "../store/run-facts.ts";
import { loadRun, stateOf, type StoredRun } from "../store/summarise-run.ts";
import { placeOfRun, placeOfTable } from "../store/table-place.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { type DecidedInput, tellOf, tellStart } from "./decide-inputs.ts";
import { leftOutBy } from "./duplicate-check.ts";
import { laterKeysOf } from "./overtaken.ts";
import { findPlanned, leavesCreates, noteMendedBy, planWords } from "./rejects-origin.ts";
import {
  andCleanUp,
  countSkipped,
  identityOf,
  openRun,
  type PushRequest,
  type RunKeeping,
  startOf,
} from "./run-outputs.ts";
import { type PushContext, sendInput } from "./send-input.ts";

/** Pushes one input, in its run if runs are kept; returns what stopped it. */
export async function pushInput(
  decided: DecidedInput,
  pushing: PushContext,
): Promise<RecPushError | undefined> {
  const { request, books } = pushing;
  if (request.keeping !== undefined) return pushInRun(decided, pushing, request.keeping);
  await books.files.begin(decided.at);
  const stopped = await sendInput(decided, pushing);
  return andCleanUp(() => books.files.finish(decided.at), stopped);
}

async function pushInRun(
  decided: DecidedInput,
  pushing: PushContext,
  keeping: RunKeeping,
): Promise<RecPushError | undefined> {
  const { input, at, answer, form } = decided;
  const { books, openRuns, unmended, control } = pushing;
  const { tally } = books;
  const file = input.source.name;
  const start = await currentStart(decided, pushing, keeping);
  if (start !== decided.start) await tellStart(input, start, keeping, control.emit);
  if (start.kind === "leftOut") return leaveOut(input, at, pushing, start.earlier);
  const { counts } = input.report;
  const plan = describeRecordPlan(input, pushing.request.optionPlan);
  const compared = form!.comparedAs;
  const older = new Set([...openRuns, ...unmended]);
  // When the command goes on with an open run, its further files belong to the command that began that run.
  const [firstOne] = books.ends.accounts.values();
  const ofCommand = { ...keeping, command: firstOne?.facts?.command ?? keeping.command };
  const { read } = pushing.request;
  const run = await openRun(
    input,
    start,
    { keeping: ofCommand, read },
    plan,
    compared,
    older,
    tellOf(input, control.emit),
  );
  const notesKeys = keeping.shard === undefined && hasUnsentOlder(run, pushing);
  try {
    if (start.kind === "resume") await takeUp(input, at, run, pushing);
    const createdBy = run.account.facts?.createdBy;
    if (createdBy !== undefined) tally.move("skipped", counts.creates);
    await books.files.begin(at, run.directory);
    await books.beginResults(run.name);
    if (answer !== undefined) {
      await answer.note(run.name);
      const inDoubt = answer.doubtful.reduce((sum, { records }) => sum + records, 0);
      await run.leaveOut(leftOutBy(answer), inDoubt);
      tally.move("skipped", leftOutBy(answer));
      tally.leaveCreatesOut(answer.counts, answer.doubtful);
    }
    books.ends.accounts.set(at, run.account);
    tally.runs.push(run.name);
    const sent = await sendInput(decided, pushing, run, notesKeys);
    // The run and its files belong to another process now.
    if (sent?.code === "lock-lost") return sent;
    tally.leaveInDoubt(file, await run.endSending(sent));
    const written = await andCleanUp(() => books.files.finish(at), sent);
    const total = countRun(run.account, rowsOf(input, run));
    const hasSentAll = total.notSent + total.failed === 0;
    if (createdBy !== undefined) await recallBefore(input, at, { createdBy, hasSentAll }, pushing, keeping);
    const stopped = await andCleanUp(() => books.files.writeDoubt(at, run.directory, run.account), written);
    const calledBy = keeping.shard && shardWords(keeping.shard);
    tally.noteDoubt({ run: run.name, file, calledBy }, run.account, total);
    const failure = stopped ?? (control.drain.aborted && total.notSent > 0 ? interruption() : undefined);
    const code = exitCode({ counts: total, failure, signal: control.received() });
    const ended = await andCleanUp(() => run.end(code, failure), stopped);
    // A plan has no older runs beside it, and closes its own.
    if (control.abort.aborted || keeping.shard !== undefined) return ended;
    return await andCleanUp(() => noteWhatIsLeft(input, run, pushing, keeping), ended);
  } finally {
    if (run.isOpen) openRuns.add(run.name);
    else openRuns.delete(run.name);
    if (run.isDone) tally.doneRuns.push(run.name);
    await run.close();
  }
}

/** Notes the rows that the run left unsent, or closes older runs whose files are gone and whose rows it sent. */
async function noteWhatIsLeft(
  input: SurveyedInput,
  run: OpenRun,
  { request, books, openRuns, control }: PushContext,
  keeping: RunKeeping,
): Promise<void> {
  if (stateOf(run.account) === "unfinished") return noteLeftRecords(run, input, request.read);
  const { facts } = run.account;
  const hasLeftNone =
    stateOf(run.account) === "finished" && facts?.totals.rejected === 0 && run.account.count("refused") === 0;
  await noteMendedBy(input, keeping, request.read, hasLeftNone);
  const taken = await takeOver(run, input, openRuns, { ...request, keeping });
  for (const { name } of taken) openRuns.delete(name);
  books.tally.openRuns = books.tally.openRuns.filter((run) => !taken.some(({ name }) => name === run));
  for (const { name, why } of taken) {
    const text = `the run ${name} is taken over: ${why}, and all that it had not sent is in ${input.source.name}`;
    control.emit({ event: "notice", file: input.source.name, text, isAlwaysShown: true });
  }
}

/** How the input starts; only now certain if an earlier input has the same content. */
async function currentStart(
  { input, at, start }: DecidedInput,
  { inputs, request }: PushContext,
  keeping: RunKeeping,
): Promise<Start> {
  const { fingerprint } = input.report.reading;
  const isAgain = inputs
    .slice(0, at)
    .some(({ input: { report } }) => report.reading.fingerprint === fingerprint);
  return isAgain ? startOf(input, keeping, describeRecordPlan(input, request.optionPlan)) : start!;
}

/** Leaves out an input whose content was pushed before. */
async function leaveOut(
  input: SurveyedInput,
  at: number,
  pushing: PushContext,
  earlier: EarlierPush,
): Promise<undefined> {
  const { tally, files, ends } = pushing.books;
  tally.leaveOut(input.report.counts, { ...earlier, calledBy: planWords(earlier) });
  ends.earlier.set(at, earlier);
  if (earlier.directory !== undefined) await files.recall(at, earlier.directory);
}

/** Takes over what earlier processes of the run settled; failed updates are sent again. */
async function takeUp(
  { source }: SurveyedInput,
  at: number,
  { name, directory, account }: OpenRun,
  { books, control }: PushContext,
): Promise<void> {
  const file = source.name;
  books.tally.restore(file, account);
  books.tally.move("skipped", account.count("overtaken"));
  control.emit({ event: "resumed", file, run: name, settledRows: account.settled });
  await books.ends.takeUp(at, directory);
}

/**
 * True if rows of an older run may be sent after this one: it is resumed, or its rejects are mended. Keys that failed in
 * this command's own runs are held back anyway.
 */
function hasUnsentOlder(
  { account }: OpenRun,
  { openRuns, unmended, books: { tally } }: PushContext,
): boolean {
  return (account.facts?.olderRuns ?? []).some(
    (run) => unmended.has(run) || (openRuns.has(run) && !tally.runs.includes(run)),
  );
}

/** The rows of an input. */
function rowsOf({ report: { counts } }: SurveyedInput, { account }: OpenRun): Parameters<typeof countRun>[1] {
  const { facts, leftOut } = account;
  const skipped = countSkipped(counts, facts?.createdBy) + leftOut + account.count("overtaken");
  return { read: counts.rows, rejected: counts.invalid, skipped };
}

/**
 * Reports the rejects that the earlier run of an input left and that its run has not sent: the creates, which it leaves
 * out, and the updates unless it `hasSentAll`.
 */
async function recallBefore(
  input: SurveyedInput,
  at: number,
  { createdBy: run, hasSentAll }: { readonly createdBy: string; readonly hasSentAll: boolean },
  { books }: PushContext,
  keeping: RunKeeping,
): Promise<void> {
  const { state, target } = keeping;
  const ofPlan = await findPlanned(state, identityOf(input, keeping), run);
  const leavesSome =
    ofPlan === undefined ? await leavesCreatesUnmended(state, run) : await leavesCreates(state, ofPlan);
  if (leavesSome || !hasSentAll) await books.files.recall(at, placeOfRun(placeOfTable(state, target), run));
  if (leavesSome)
    books.tally.earlier.push({ run, calledBy: planWords(ofPlan), hasRejects: true, inDoubt: 0 });
}

/** An older run that a new one took over, and why it would not go on. */
interface TakenOver {
  readonly name: string;
  readonly why: string;
}

/**
 * Closes open runs whose file is gone, or whose database version the service refused, if their creates are all among the
 * records of a run that has just finished, as the same bytes and at least as often, and the updates they left to be sent
 * are overtaken. What they left in doubt stays.
 */
async function takeOver(
  by: OpenRun,
  input: SurveyedInput,
  openRuns: Iterable<string>,
  { keeping, read }: PushRequest & { readonly keeping: RunKeeping },
): Promise<readonly TakenOver[]> {
  const { account } = by;
  const { facts } = account;
  const isWhole =
    stateOf(account) === "finished" &&
    account.count("refused") + account.count("failed") + account.count("absent") === 0;
  if (facts === undefined || !isWhole) return [];
  const taken: TakenOver[] = [];
  for (const name of openRuns) {
    if (name === by.name) continue;
    const stored = await loadRun(keeping.state, name).catch(() => undefined);
    const why = stored && (await whyTakenOver(stored, facts));
    if (stored === undefined || why === undefined) continue;
    if (!(await areTakenOver(stored, input, { keeping, read }))) continue;
    const run = await OpenRun.resume(keeping, stored);
    try {
      await run.abandon(by.name);
    } finally {
      await run.close();
    }
    taken.push({ name, why });
  }
  return taken;
}

/**
 * Why an older run to the same target that has rows to send would not go on: its file has changed or no longer exists, or
 * the service refuses its database version, which was replaced by another. `undefined` if it may go on.
 */
async function whyTakenOver({ account, facts }: StoredRun, by: RunFacts): Promise<string | undefined> {
  const target = (of: RunFacts): string => {
    const { url, runKey, queries } = of.identity;
    return JSON.stringify([url, runKey, queries, of.again === true]);
  };
  if (stateOf(account) !== "unfinished" || target(facts) !== target(by)) return undefined;
  if (facts.identity.dbVersion !== by.identity.dbVersion)
    return account.ending?.exitCode === EXIT.request
      ? "the service refused it, which had another database version"
      : undefined;
  if (facts.path === undefined || facts.identity.content === by.identity.content) return undefined;
  if (facts.path === by.path) return GONE;
  return access(facts.path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? GONE : undefined),
  );
}

const GONE = "its file is gone";

/** True if the creates of a run are among the records of an input, and all its other updates were overtaken. */
async function areTakenOver(
  { run, account: { left } }: StoredRun,
  input: SurveyedInput,
  { keeping, read }: Pick<PushRequest, "read"> & { readonly keeping: RunKeeping },
): Promise<boolean> {
  if (left === undefined) return false;
  const { creates, updates } = left;
  // Its rejects are still to be written.
  if (creates === "" && updates === undefined) return false;
  const keys = updates && (await laterKeysOf(keeping, run));
  if (updates !== undefined && keys?.overtakeAll(updates) !== true) return false;
  return creates === "" || holdsAll(countPrints(creates), input, read);
}

async function holdsAll(
  left: Map<string, number>,
  input: SurveyedInput,
  read: PushRequest["read"],
): Promise<boolean> {
  await eachRecord(input, { read }, (record) => {
    if (record.kind === "update") return;
    const print = printRecord(record).toString("hex");
    const count = left.get(print);
    if (count === 1) left.delete(print);
    else if (count !== undefined) left.set(print, count - 1);
  });
  return left.size === 0;
}

/** If a run leaves more than this, it cannot be proven that a later push took them over. */
const MOST_RECORDS = 100_000;

const PRINT_BYTES = 16;

/** Equal for records that are sent as the same bytes. */
function printRecord(record: PreparedRecord): Buffer {
  return createHash("sha256").update(recordJson(record)).digest().subarray(0, PRINT_BYTES);
}

/**
 * Notes the records of a run that is not finished, so that it can be proven later that another push took them over. Without
 * the note the run only stays open: if something cannot be read or written, there is none.
 */
async function noteLeftRecords(run: OpenRun, input: SurveyedInput, read: ReadOptions): Promise<void> {
  const { counts: found } = input.report;
  if (found === undefined || found.updates + found.creates > MOST_RECORDS) return;
  const creates: Buffer[] = [];
  const updates = new KeyNotes();
  try {
    await eachRecord(input, { read }, (record) => {
      const { kind } = record;
      const standing = run.account.standingOf(kind, record.ordinal);
      // An equal create of a later file may be the one that was already sent, so both have to be in it.
      if (kind === "create" && standing !== "refused") creates.push(printRecord(record));
      if (standing === undefined) updates.add(record);
    });
    await run.noteLeft({ creates: Buffer.concat(creates).toString("base64"), updates: updates.noted });
  } catch (error) {
    if (error instanceof RecPushError || (error as NodeJS.ErrnoException).code !== undefined) return;
    throw error;
  }
}

/** How often a later push has to hold each create, by its print. */
function countPrints(creates: string): Map<string, number> {
  const prints = Buffer.from(creates, "base64");
  const found = new Map<string, number>();
  for (let at = 0; at < prints.length; at += PRINT_BYTES) {
    const print = prints.toString("hex", at, at + PRINT_BYTES);
    found.set(print, (found.get(print) ?? 0) + 1);
  }
  return found;
}
