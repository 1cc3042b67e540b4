import { join } from "node:path";
import { countRun } from "../journal/count-run.ts";
import type { OpenRun } from "../journal/open-run.ts";
import { stateOf } from "../journal/run-store.ts";
import { readJournal } from "../journal/read-journal.ts";
import { describeRecordPlan } from "../journal/record-plan.ts";
import { TouchedKeys } from "../journal/touched-keys.ts";
import type { EarlierPush, Start } from "../ledger/decide-start.ts";
import { EXIT, exitCode } from "../model/exit-code.ts";
import type { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import { shardWords } from "../shards/open-shard.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { isPushed } from "../finish/holds-unmended.ts";
import { leftOutBy } from "./ask-ledger.ts";
import { changedLines, createdBeforeTexts } from "./created-before-texts.ts";
import { leftOutText, settledText, updatesOnlyText } from "./left-out-texts.ts";
import { noteUnsent } from "./note-unsent.ts";
import { orFailure } from "./or-failure.ts";
import { planWords } from "./left-of-plan.ts";
import type { Pushing } from "./pushing.ts";
import { recallBefore } from "./recall-before.ts";
import { noteMended } from "./rejects-origin.ts";
import { noteLeftRecords } from "./left-records.ts";
import { takeOver } from "./take-over.ts";
import { sendInput } from "./send-input.ts";
import { countSkipped, openRun, startOf, type RunKeeping } from "./start-run.ts";

/** Pushes one input, in its run if runs are kept; returns what stopped it. */
export async function pushInput(
  input: SurveyedInput,
  at: number,
  pushing: Pushing,
): Promise<RecPushError | undefined> {
  const { request, books } = pushing;
  const { keeping } = request;
  if (keeping !== undefined) return pushInRun(input, at, pushing, keeping);
  await books.rejects.begin(at);
  const stopped = await sendInput(input, at, pushing);
  return orFailure(() => books.rejects.finish([at]), stopped);
}

async function pushInRun(
  input: SurveyedInput,
  at: number,
  pushing: Pushing,
  keeping: RunKeeping,
): Promise<RecPushError | undefined> {
  const { books, openRuns, unmended, control } = pushing;
  const { tally } = books;
  const file = input.source.name;
  const tell = (text: string): void =>
    control.emit({ kind: "notice", file, notice: { text }, isAlwaysShown: true });
  const start = await currentStart(input, at, pushing, keeping);
  if (start.kind === "leftOut") {
    tell(keeping.shard === undefined ? leftOutText(file, start.earlier) : settledText(file, keeping.shard));
    return leaveOut(input, at, pushing, keeping, start.earlier);
  }
  const { counts } = input.report;
  if (start.kind === "new" && start.createdBy !== undefined)
    tell(updatesOnlyText(file, start.createdBy, counts.creates));
  const plan = describeRecordPlan(input, pushing.request.optionPlan);
  const answer = pushing.answers[at];
  const compared = pushing.forms[at]!.comparedAs;
  const older = new Set([...openRuns, ...unmended]);
  // Where the command goes on with an open run, its further files are of the command that began that one.
  const [firstOne] = books.accounts.values();
  const ofCommand = { ...keeping, command: firstOne?.facts?.command ?? keeping.command };
  const run = await openRun(input, start, ofCommand, plan, compared, older, tell);
  const touched =
    keeping.shard === undefined && hasUnsentOlder(run, pushing)
      ? await TouchedKeys.open(run.directory, keeping.target.url)
      : undefined;
  try {
    if (start.kind === "resume") await takeUp(input, at, run, pushing);
    const createdBy = run.account.facts?.createdBy;
    if (createdBy !== undefined) tally.move("skipped", counts.creates);
    await books.rejects.begin(at, run.directory);
    await books.beginResults(run.name);
    if (answer !== undefined) {
      const changed = await changedLines(input, pushing.request.read, answer);
      await answer.note(run.name);
      const inDoubt = answer.doubtful.reduce((sum, { records }) => sum + records, 0);
      await run.leaveOut(leftOutBy(answer), inDoubt);
      tally.move("skipped", leftOutBy(answer));
      tally.leaveCreatesOut(answer.counts, answer.doubtful);
      for (const { text, isAlwaysShown } of createdBeforeTexts(file, keeping.facts.table, answer, changed))
        control.emit({ kind: "notice", file, notice: { text }, ...(isAlwaysShown ? { isAlwaysShown } : {}) });
    }
    books.accounts.set(at, run.account);
    tally.runs.push(run.name);
    const sent = await sendInput(input, at, pushing, run, touched);
    // The run and its files belong to another process now.
    if (sent?.code === "lock-lost") return sent;
    const rows = rowsOf(input, run);
    const endWith = (code: number, why: RecPushError | undefined) => ({
      exitCode: code,
      read: rows.read,
      counts: countRun(run.account, rows),
      reason: why?.message.split("\n")[0] ?? "",
      ...(why === undefined ? {} : { code: why.code }),
    });
    tally.leaveInDoubt(file, await run.endSending(() => endWith(EXIT.fault, sent)));
    const written = await orFailure(() => books.rejects.finish([at]), sent);
    const total = countRun(run.account, rows);
    const hasSentAll = total.notSent + total.failed === 0;
    if (createdBy !== undefined) await recallBefore(input, at, { createdBy, hasSentAll }, pushing, keeping);
    const stopped = await orFailure(() => books.doubtFiles.write(at, run.directory, run.account), written);
    const calledBy = keeping.shard && shardWords(keeping.shard);
    tally.noteDoubt({ run: run.name, file, calledBy }, run.account, total);
    const failure = stopped ?? (control.drain.aborted && total.notSent > 0 ? interruption() : undefined);
    const code = exitCode({ counts: total, failure, signal: control.received() });
    const ended = await orFailure(() => run.end(endWith(code, failure)), stopped);
    // A plan has no older runs beside it, and closes its own.
    if (control.abort.aborted || keeping.shard !== undefined) return ended;
    return await orFailure(() => noteWhatIsLeft(input, run, pushing, keeping), ended);
  } finally {
    if (run.isOpen) openRuns.add(run.name);
    else openRuns.delete(run.name);
    if (run.isDone) tally.doneRuns.push(run.name);
    await touched?.close();
    await run.close();
  }
}

/** Notes what the run left unsent, or closes older runs whose files are gone and whose rows it sent. */
async function noteWhatIsLeft(
  input: SurveyedInput,
  run: OpenRun,
  { request, books, openRuns, control }: Pushing,
  keeping: RunKeeping,
): Promise<void> {
  if (stateOf(run.account) === "unfinished")
    return noteLeftRecords(run.directory, run.account, input, request.read);
  await noteMended(input, keeping);
  const taken = await takeOver(run, input, openRuns, { ...request, keeping });
  for (const { name } of taken) openRuns.delete(name);
  books.tally.openRuns = books.tally.openRuns.filter((run) => !taken.some(({ name }) => name === run));
  for (const { name, why } of taken) {
    const text = `the run ${name} is taken over: ${why}, and all that it had not sent is in ${input.source.name}`;
    control.emit({ kind: "notice", file: input.source.name, notice: { text }, isAlwaysShown: true });
  }
}

/** How the input starts; if an earlier input has the same content, this is only known now. */
async function currentStart(
  input: SurveyedInput,
  at: number,
  { starts, inputs, request }: Pushing,
  keeping: RunKeeping,
): Promise<Start> {
  const { fingerprint } = input.report.reading;
  const isAgain = inputs.slice(0, at).some(({ report }) => report.reading.fingerprint === fingerprint);
  return isAgain ? startOf(input, keeping, describeRecordPlan(input, request.optionPlan)) : starts[at]!;
}

/** Leaves out an input whose content was pushed before. */
async function leaveOut(
  input: SurveyedInput,
  at: number,
  pushing: Pushing,
  { state, target }: RunKeeping,
  earlier: EarlierPush,
): Promise<undefined> {
  const { tally, rejects } = pushing.books;
  tally.leaveOut(input.report.counts, { ...earlier, calledBy: planWords(earlier) });
  await noteUnsent(input, at, pushing, earlier);
  await rejects.recall(at, earlier.directory, (path) => isPushed(state, target, path));
}

/** Takes over what earlier processes of the run settled; failed updates are sent again. */
async function takeUp(
  { source }: SurveyedInput,
  at: number,
  { name, directory, account }: OpenRun,
  { books, control }: Pushing,
): Promise<void> {
  const file = source.name;
  books.tally.restore(file, account);
  control.emit({ kind: "resumed", file, run: name, settledRows: account.settled });
  await readJournal(join(directory, "journal"), (entry) => {
    if (entry.entry === "outcome" && entry.outcome !== "failed") books.outcomes.add(at, entry);
  });
  await books.outcomes.settle();
}

/**
 * True if rows of an older run may be sent after this one: it is resumed, or its rejects are mended. Keys that failed in
 * this command's own runs are held back anyway.
 */
function hasUnsentOlder({ account }: OpenRun, { openRuns, unmended, books: { tally } }: Pushing): boolean {
  return (account.facts?.olderRuns ?? []).some(
    (run) => unmended.has(run) || (openRuns.has(run) && !tally.runs.includes(run)),
  );
}

/** The rows of an input. */
function rowsOf({ report: { counts } }: SurveyedInput, { account }: OpenRun): Parameters<typeof countRun>[1] {
  const skipped = countSkipped(counts, account.facts?.createdBy) + account.leftOut;
  return { read: counts.rows, rejected: counts.invalid, skipped };
}
