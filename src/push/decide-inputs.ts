import { KEY_FIELD } from "../fields/columns/other-columns.ts";
import { findUnmended } from "../files/rows-to-mend.ts";
import type { ComparisonForm } from "../ledger/comparison-form.ts";
import type { EarlierPush, Start } from "../ledger/decide-start.ts";
import { listLines } from "../ledger/ledger-questions.ts";
import { showCount, showCountIs, showInteger, showShare, type ToSend } from "../model/counts.ts";
import type { RunEvent } from "../model/event.ts";
import { quoteWord, showText } from "../model/text.ts";
import type { Shard } from "../shards/open-shard.ts";
import { closeFinished, openAmong } from "../store/close-finished.ts";
import { loadKept, unclosedRuns, whyNothingIsDecided } from "../store/summarise-run.ts";
import { hasNoBook } from "../store/find-books.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { comparisonOf, refuseUnknownFields } from "./change-ledger.ts";
import { DuplicateCheck, type LedgerAnswer } from "./duplicate-check.ts";
import { judgeDrift, refuseLostKeys } from "./judge-drift.ts";
import { linesOfCreates } from "./print-creates.ts";
import type { PushRequest, ReadKeeping, RunKeeping } from "./push-request.ts";
import { type StartedInput, startInputs, tellOf } from "./start-inputs.ts";
import type { Tally } from "./tally-run.ts";

/** An input, and what the book says about it. */
export interface DecidedInput extends StartedInput {
  /** How its creates are compared with others. */
  readonly form?: ComparisonForm;
  /** What the ledger says about its creates; `undefined` if all may be sent. */
  readonly answer?: LedgerAnswer | undefined;
}

/** Asks the ledger about the creates of every input. `noteDoubt`: see {@link DuplicateCheck.ask}. */
async function askLedger(
  started: readonly StartedInput[],
  keeping: ReadKeeping,
  duplicates: DuplicateCheck | undefined,
  noteDoubt?: Parameters<DuplicateCheck["ask"]>[3],
): Promise<readonly DecidedInput[]> {
  const { exports } = keeping;
  const decided: DecidedInput[] = [];
  for (const one of started) {
    const { input, start } = one;
    await refuseLostKeys(one, keeping);
    refuseUnknownFields(input, exports);
    const begunWith = start.kind === "resume" ? start.stored.facts.compared : undefined;
    const form = comparisonOf(input.plan, exports.identity, begunWith);
    const answer = await duplicates?.ask(one, form, one === started.at(-1), noteDoubt);
    decided.push({ ...one, form, answer });
  }
  return decided;
}

/** Says what is left out of the inputs, before anything is sent. */
export async function tellDecided(
  decided: readonly DecidedInput[],
  { read, keeping }: Pick<PushRequest, "read"> & { readonly keeping: ReadKeeping },
  emit: (event: RunEvent) => void,
): Promise<void> {
  for (const one of decided) {
    const { input, answer } = one;
    const file = input.source.name;
    await tellStart(one, keeping, emit);
    if (answer === undefined) continue;
    const { counts, isNewlyChanged } = answer;
    const changed = counts.newlyChanged === 0 ? [] : await linesOfCreates(input, read, isNewlyChanged);
    tellCreatedBefore(keeping.facts.table, answer, changed, (text, isAlwaysShown = false) =>
      emit({ event: "notice", file, text: `${file}: ${text}`, ...(isAlwaysShown ? { isAlwaysShown } : {}) }),
    );
  }
}

/** Says of an input that was pushed before that nothing, or only its updates, are sent. */
async function tellStart(
  { input, start, origins }: StartedInput,
  { state, decision, shard, staleOk }: ReadKeeping,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const file = input.source.name;
  const tell = tellOf(input, emit);
  if (start.kind === "leftOut" && start.earlier === undefined)
    tell(`${file} has the same content as ${start.twin!}: it is left out`);
  if (start.kind === "leftOut" && start.earlier !== undefined) {
    const ended = decision && (await loadKept(state, start.earlier.run));
    if (ended !== undefined) tell(whyNothingIsDecided(ended.run, ended.end.kept, decision!));
    if (shard !== undefined) tell(settledText(file, shard));
    else {
      const isStale = origins !== undefined && !staleOk && input.report.counts.updates > 0;
      tell(isStale ? mendedText(file, start.earlier) : leftOutText(file, start.earlier));
    }
  }
  if (start.kind === "new" && start.createdBy !== undefined)
    tell(updatesOnlyText(file, start.createdBy, input.report.counts.creates));
}

/**
 * Says of creates of an input that the ledger left them out.
 * `changedLines`: the first lines whose values differ from the record created before and that were not named before.
 */
function tellCreatedBefore(
  table: string,
  { counts, sources, doubtful, isUnasked }: LedgerAnswer,
  changedLines: readonly number[],
  tell: (text: string, isAlwaysShown?: boolean) => void,
): void {
  const { creates, equal, changed, newlyChanged, repeated, fresh } = counts;
  const when = sources.at(-1)?.startedAt.slice(0, 10);
  if (equal > 0) {
    const on = when === undefined ? "" : ` (${sources.length === 1 ? "" : "last "}on ${when})`;
    const rest = fresh === 0 ? "nothing is new" : `${showInteger(fresh)} ${fresh === 1 ? "is" : "are"} new`;
    const said = isUnasked
      ? "; --exports full says so for every file of this table, --exports delta that its files hold new rows only"
      : "";
    const were = `${showShare(equal, creates, "create")} ${equal === 1 ? "was" : "were"} created before`;
    tell(`${were}${on}: left out; ${rest}${said}`, isUnasked);
  }
  if (changed > 0) {
    const named = newlyChanged === 0 ? "all named before" : listLines(changedLines, newlyChanged);
    const others = newlyChanged === 0 || newlyChanged === changed ? "" : "; the others were named before";
    tell(
      `${showInteger(changed)} ${changed === 1 ? "create was" : "creates were"} created before with other values (${named}${others}): left out, because the service has no way to find a record without its key`,
      newlyChanged > 0,
    );
  }
  if (repeated > 0) tell(`${showInteger(repeated)} with the identity of a later row; the last one stays`);
  for (const { run, doubt, records } of doubtful)
    tell(
      `${showInteger(records)} of these ${records === 1 ? "is" : "are"} in doubt since the run ${run}: check the table ${table}, then rec-push resume ${run} --in-doubt ${doubt}=applied (they are there) or ${doubt}=absent (they are not)`,
      true,
    );
}

/** The notice that nothing of an input is sent. */
function leftOutText(file: string, earlier: EarlierPush): string {
  return `${file} ${pushedText(earlier)}: it is left out, so that no record is created twice; --again pushes it all the same`;
}

/** The notice that no mended row of an input is sent again. */
function mendedText(file: string, earlier: EarlierPush): string {
  return `${file} ${pushedText(earlier)}: its mended rows are left out, because later rows with their keys may have been sent since; --stale-ok sends its updates all the same`;
}

/** The notice that only the updates of an input are sent. */
function updatesOnlyText(file: string, earlier: EarlierPush, creates: number): string {
  return `${file} ${pushedText(earlier)}: only its updates are sent, its ${showCountIs(creates, "create")} left out, so that no record is created twice; --again sends them all the same`;
}

function pushedText({ run, startedAt }: EarlierPush): string {
  return `was already pushed on ${startedAt.slice(0, 16).replace("T", " ")} UTC (run ${run})`;
}

/** The notice that the shard of a plan has nothing of an input left to send. */
function settledText(file: string, { shard, plan }: Shard): string {
  return `${file}: the shard ${shard}/${plan.shards} is settled, nothing of it is left to send`;
}

/** The inputs of a push, and what else is open on their table. */
export interface DecidedPush {
  readonly inputs: readonly DecidedInput[];
  /** The runs whose rejects are still to be mended and pushed, also those of the command as it goes on. */
  readonly unmended: Set<string>;
  /** The profiles of the inputs that are compared with earlier files, by their places. */
  readonly profiles: Awaited<ReturnType<typeof judgeDrift>>;
}

/** The start of an input where nothing is kept. */
const NEW: Start = { kind: "new", createdBy: undefined };

/** The same for a command that holds the lock of the table: finished runs are closed and tidied on the way. */
export async function decidePush(
  inputs: readonly SurveyedInput[],
  tally: Tally,
  request: PushRequest,
  duplicates: DuplicateCheck | undefined,
  emit: (event: RunEvent) => void,
): Promise<DecidedPush> {
  const { keeping } = request;
  if (keeping === undefined)
    return {
      inputs: inputs.map((input, at) => ({
        input,
        at,
        start: NEW,
        origins: undefined,
        overtaken: undefined,
      })),
      unmended: new Set(),
      profiles: new Map(),
    };
  const { state, target, shard } = keeping;
  const started = await startInputs(inputs, { request, keeping, emit });
  const [first] = started;
  if (started.length === 1 && first?.start.kind === "resume") tally.toResume = first.start.stored.run;
  const profiles = await judgeDrift(started, keeping, request, emit);
  const decided = await askLedger(started, keeping, duplicates, (doubtful) =>
    tally.noteEarlierDoubt(doubtful),
  );
  await closeFinished(keeping);
  // With creates, the ledger has stopped the command.
  const unclosed = await unclosedRuns(state, target);
  const hasCreates = inputs.some(({ report }) => report.counts.creates > 0);
  for (const { run, loss } of hasCreates ? [] : unclosed) if (loss !== undefined) emit(lostNotice(run));
  tally.openRuns = new Set(openAmong(unclosed).map(({ run }) => run));
  return {
    inputs: decided,
    unmended: new Set(shard === undefined ? await findUnmended(keeping, tally.openRuns) : []),
    profiles,
  };
}

/** Shown with updates, which go on although the creates of a run are uncertain. */
function lostNotice(run: string): RunEvent {
  const text = `the journal of the run ${run} on this table is lost or damaged: no record without key is created in the table until it is said what it created; rec-push runs says how`;
  return { event: "notice", text, isAlwaysShown: true };
}

/** What all inputs together are about to send. */
export function countToSend(inputs: readonly DecidedInput[]): ToSend {
  const columns = inputs.flatMap(({ input }) => input.report.columns);
  const keys = columns.flatMap(({ field, header }) => (field === KEY_FIELD ? [header] : []));
  const sum = { keys: [...new Set(keys)], updates: 0, creates: 0, rest: 0, createdBefore: 0, differ: 0 };
  for (const { input, start, answer, overtaken } of inputs) {
    const { updates, creates } = input.report.counts;
    const passed = overtaken?.rows ?? 0;
    if (start.kind === "leftOut") continue;
    if (start.kind === "resume") {
      const { settled, leftOut } = start.stored.account;
      sum.rest += Math.max(0, updates + creates - settled - leftOut - passed);
      continue;
    }
    const isCreated = start.createdBy !== undefined;
    sum.updates += updates - passed;
    sum.creates += isCreated ? 0 : (answer?.counts.fresh ?? creates);
    sum.createdBefore += isCreated ? creates : (answer?.counts.equal ?? 0);
    sum.differ += answer?.counts.changed ?? 0;
  }
  return sum;
}

/**
 * The notice before the first creates that a state directory records; `undefined` if it has recorded any before. It
 * reveals a lost disk, and machines that lose their state between two jobs.
 */
export async function newStateText(
  inputs: readonly SurveyedInput[],
  { state, facts, again, shard }: RunKeeping,
): Promise<string | undefined> {
  const creates = inputs.reduce((sum, { report }) => sum + report.counts.creates, 0);
  if (creates === 0 || again || shard !== undefined || !(await hasNoBook(state))) return undefined;
  return `no earlier push is known in ${state.root}: ${showCount(creates, "create")} cannot be compared with earlier ones (rec-push ledger add FILE --table ${quoteWord(facts.table)}, with the options of this push, counts the creates of an earlier export as made)`;
}

/** The book that a check asks. */
export interface AskedBook extends Pick<PushRequest, "read" | "files" | "optionPlan" | "ledgerWords"> {
  readonly keeping: ReadKeeping;
  /** The address of the table, as it is shown. */
  readonly shown: string;
}

const NOTHING = { what: "nothing", before: "" };

/** `12 updates, 9 creates` and ` (58 were created before, 2 differ)`; `undefined` if there is nothing to send. */
export function describeToSend({
  updates,
  creates,
  rest,
  createdBefore,
  differ,
}: ToSend): { readonly what: string; readonly before: string } | undefined {
  const parts = [
    ...(updates > 0 ? [showCount(updates, "update")] : []),
    ...(creates > 0 ? [showCount(creates, "create")] : []),
    ...(rest > 0 ? [`the ${showCount(rest, "record")} that an open run has left`] : []),
  ];
  if (parts.length === 0) return undefined;
  const differing = differ === 0 ? "" : `, ${showInteger(differ)} ${differ === 1 ? "differs" : "differ"}`;
  const before =
    createdBefore === 0
      ? ""
      : ` (${showInteger(createdBefore)} ${createdBefore === 1 ? "was" : "were"} created before${differing})`;
  return { what: parts.join(", "), before };
}

/**
 * Asks the book of a table what a push of these inputs would send now, without its lock, and says so. Throws the failure
 * that would stop the push. `directory` is a private one.
 */
export async function askBook(
  inputs: readonly SurveyedInput[],
  asked: AskedBook,
  directory: string,
  emit: (event: RunEvent) => void,
): Promise<void> {
  const { keeping, shown } = asked;
  const { table } = keeping.facts;
  const duplicates = new DuplicateCheck({ request: asked, keeping, directory });
  try {
    const started = await startInputs(inputs, { request: asked, keeping, emit });
    const decided = await askLedger(started, keeping, duplicates);
    await tellDecided(decided, asked, emit);
    const { what, before } = describeToSend(countToSend(decided)) ?? NOTHING;
    const text = `the book of the table ${showText(table)} at ${shown} was asked: a push would send ${what}${before}`;
    emit({ event: "notice", text });
  } finally {
    await duplicates.close();
  }
}
