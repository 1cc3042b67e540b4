import { rm } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import type { DriftRule } from "../drift/find-drift.ts";
import { noteDecided } from "../files/doubt-files.ts";
import { type AskedPlace, noteWritten } from "../files/kept-place.ts";
import { type ResultsPlace, writeResults } from "../files/results.ts";
import { RowEnds } from "../files/row-ends.ts";
import { type MendCommandOf, RowsFiles } from "../files/rows-files.ts";
import { areMended } from "../files/rows-to-mend.ts";
import type { ComparedAs } from "../ledger/comparison-form.ts";
import { decideStart, refuseOtherContent, refuseOtherRecords, type Start } from "../ledger/decide-start.ts";
import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { SurveyCounts, ToSend } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { SendSession } from "../send/send-session.ts";
import { hasBegun, lostShard, noteBegun, runOf, type Shard, shardFacts } from "../shards/open-shard.ts";
import { findRun } from "../store/close-finished.ts";
import { type PlanTexts, type RunFacts, type RunIdentity, type RunTotals } from "../store/run-facts.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import type { TableLock } from "../store/held-lock.ts";
import { OpenRun } from "../store/open-run.ts";
import { cannotUse, type StateDirectory } from "../store/state-directory.ts";
import { INPUT_COPY, loadKept, loadRun, stateOf } from "../store/summarise-run.ts";
import { placeOfRun, placeOfTable } from "../store/table-place.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import type { RunControl, RunRequest } from "./check.ts";
import { arePlanMended, originsOf } from "./rejects-origin.ts";
import type { Tally } from "./tally-run.ts";

/** The files that a command makes from its rows. */
export class RunOutputs {
  readonly tally: Tally;
  readonly ends: RowEnds;
  readonly files: RowsFiles;
  readonly emit: RunControl["emit"];
  readonly #inputs: readonly SurveyedInput[];
  readonly #request: PushRequest;

  /** `directory` is private and outlives this object. */
  constructor(
    inputs: readonly SurveyedInput[],
    request: PushRequest,
    { abort, emit }: RunControl,
    tally: Tally,
    directory: string,
  ) {
    const { keeping: known, mendCommand, onInvalid, read } = request;
    const tell = (file: string, text: string): void =>
      emit({ event: "notice", file, text, isAlwaysShown: true });
    this.tally = tally;
    this.emit = emit;
    this.ends = new RowEnds({ inputs, read, abort }, directory);
    const leavesInvalidOut = onInvalid === "skip";
    this.files = new RowsFiles(
      { inputs, ends: this.ends, leavesInvalidOut, abort, tell, known, mendCommand },
      request.rejects ?? [],
      directory,
    );
    this.#inputs = inputs;
    this.#request = request;
  }

  /** Notes in a run that begins or is resumed where its results will be. */
  async beginResults(run: string): Promise<void> {
    const { results, keeping } = this.#request;
    if (results === undefined || keeping === undefined) return;
    await noteWritten(keeping, { kind: "results", path: results.path, runs: [run] });
  }

  /** Writes the files of the command as a whole; returns what stopped it. */
  async finish(stopped: RecPushError | undefined): Promise<RecPushError | undefined> {
    const failure = await andCleanUp(() => this.files.finishAll(), stopped);
    const { results } = this.#request;
    if (results === undefined) return failure;
    return andCleanUp(
      () =>
        writeResults(this.#inputs, this.ends, results, (sha256) => this.#noteResults(results.path, sha256)),
      failure,
    );
  }

  /** Notes in every run of the command where its results are. */
  async #noteResults(path: string, sha256: string): Promise<void> {
    const { keeping } = this.#request;
    const runs = [...this.ends.accounts.values()].flatMap(({ facts }) => facts?.run ?? []);
    const shared = this.#inputs.length > 1 ? { isShared: true as const } : {};
    if (keeping !== undefined) await noteWritten(keeping, { kind: "results", path, sha256, runs, ...shared });
  }

  async remove(): Promise<void> {
    await this.ends.remove();
    await this.files.remove();
  }
}

/** Some inputs for one table. */
export interface PushRequest extends RunRequest {
  /**
   * Called once the inputs are surveyed and there is something to send: if a file stops the run, no connection is
   * opened.
   */
  readonly openSession: (areCreatesProven: boolean) => Promise<SendSession>;
  /** `undefined`: nothing of the runs is kept (the sandbox in this process). */
  readonly keeping?: RunKeeping;
  /** Where the rejects of each input go, in the order of the files; the run's directory if no place is given. */
  readonly rejects?: readonly (AskedPlace | undefined)[];
  /** Makes the command that pushes the rejects once they are mended. */
  readonly mendCommand?: MendCommandOf | undefined;
  /** The options of the command line as words for `ledger add`, each with a space before it. */
  readonly ledgerWords?: string;
  /** Asks a person, if there is one, before anything is sent; returns what stops the push. */
  readonly confirm?: ((toSend: ToSend) => Promise<RecPushError | undefined>) | undefined;
  /** Where the outcome of every row is written. */
  readonly results?: ResultsPlace | undefined;
}

/** Where runs are kept, and what their journals hold of a command. */
export interface RunKeeping extends ReadKeeping {
  /** The table's lock, which the command holds. */
  readonly lock: TableLock;
}

/** The part of {@link RunKeeping} that a command needs which only asks. */
export interface ReadKeeping {
  readonly state: StateDirectory;
  readonly target: Omit<RunIdentity, "content">;
  readonly facts: Pick<RunFacts, "program" | "table" | "options" | "declared" | "headerNames" | "queryNames">;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** Records that were created before are created again (`--again`). */
  readonly again: boolean;
  /** Whether the files of the table hold the earlier rows again. */
  readonly exports: ExportsOptions;
  /** Rows are sent although they are overtaken (`--stale-ok`). */
  readonly staleOk: boolean;
  /** The rule for files that are unlike those before; `undefined` if they are not compared. */
  readonly drift?: DriftRule | undefined;
  /** The run to resume, if the user asks for one. */
  readonly resumed?: string | undefined;
  /** The user's decision on records in doubt. */
  readonly decision?: DoubtDecision | undefined;
  /** The shard of a plan that the command pushes: its runs are kept in the plan's directory. */
  readonly shard?: Shard | undefined;
  /** The name of the command's first run. */
  readonly command: string;
  /** Makes a name for a new run. */
  readonly nameRun: () => string;
}

/** How an input starts, before anything of the command is sent. Throws a usage error if it must not. */
export async function startOf(input: SurveyedInput, keeping: ReadKeeping, plan: PlanTexts): Promise<Start> {
  const identity = identityOf(input, keeping);
  const hasUpdates = input.report.counts.updates > 0;
  const start: Start =
    keeping.shard !== undefined
      ? await startOfShard(identity, keeping.state, keeping.shard)
      : keeping.resumed === undefined
        ? await notingMended(await decideStart(keeping.state, identity, keeping.again, hasUpdates), keeping)
        : await startOfResumed(keeping, keeping.resumed);
  if (start.kind === "resume") {
    refuseOtherContent(start.stored.facts, input.source.name, identity.content);
    refuseOtherRecords(start.stored.facts, plan);
  }
  return start;
}

/** How a resumed run goes on. It does not if another command has ended it in the meantime. */
async function startOfResumed({ state, decision }: ReadKeeping, resumed: string): Promise<Start> {
  const { run, directory, begun, end, stored } = await findRun(state, resumed);
  if (stored !== undefined) return { kind: "resume", stored, decision };
  const hasRejects = (end.toMend ?? 0) > 0;
  const isAbandoned = end.isAbandoned === true;
  return {
    kind: "leftOut",
    earlier: { run, startedAt: begun.startedAt, hasRejects, isAbandoned, directory },
  };
}

/** A new push of the same content has nothing to mend once the rejects of the earlier push were mended and pushed. */
async function notingMended(start: Start, { state }: ReadKeeping): Promise<Start> {
  if (start.kind !== "leftOut" || !start.earlier.hasRejects) return start;
  const { run, plan } = start.earlier;
  const left = await loadKept(state, run);
  const isMended =
    left === undefined
      ? plan !== undefined && (await arePlanMended(state, { run, plan }))
      : await areMended(state, left);
  if (!isMended) return start;
  return { kind: "leftOut", earlier: { ...start.earlier, hasRejects: false, isMended: true } };
}

/**
 * Creates the run of an input, or resumes it; `olderRuns` are open on the table now, `tell` is called with notices for the
 * user.
 */
export async function openRun(
  input: SurveyedInput,
  start: Exclude<Start, { kind: "leftOut" }>,
  { keeping, read }: Pick<PushRequest, "read"> & { readonly keeping: RunKeeping },
  plan: PlanTexts,
  compared: ComparedAs,
  olderRuns: Iterable<string>,
  tell: (text: string) => void,
): Promise<OpenRun> {
  if (start.kind === "resume") {
    const run = await OpenRun.resume(keeping, start.stored);
    const { decision } = start;
    const undecided = decision && (await run.decide(decision));
    if (undecided !== undefined) tell(undecided);
    else if (decision?.file !== undefined) await noteDecided(keeping, run.name, decision.file);
    return run;
  }
  const { source, report } = input;
  const { shard } = keeping;
  const file = source.name;
  const path = isAbsolute(file) ? file : resolve(keeping.cwd, file);
  const createdBy = start.createdBy?.run;
  const rowsOf = shard === undefined ? (await originsOf(input, keeping, read))?.runs : undefined;
  const facts: RunFacts = {
    ...keeping.facts,
    run: shard === undefined ? keeping.nameRun() : runOf(shard, report.reading.fingerprint),
    command: keeping.command,
    startedAt: new Date().toISOString(),
    olderRuns: [...olderRuns],
    identity: identityOf(input, keeping),
    file,
    // A shard has its part, wherever the input is.
    ...(source.keep === undefined && shard === undefined ? { path } : {}),
    plan,
    compared,
    ...(keeping.again ? { again: true } : {}),
    ...(rowsOf === undefined ? {} : { rowsOf }),
    ...(shard === undefined ? {} : { shard: shardFacts(shard) }),
    ...(createdBy === undefined ? {} : { createdBy }),
    totals: totalsOf(report.counts, createdBy),
  };
  return OpenRun.begin(keeping, facts, {
    furnish: async (directory) => source.keep?.(join(directory, INPUT_COPY)),
    ...(shard === undefined ? {} : { noteBegun: () => noteBegun(shard, facts.run) }),
  });
}

function totalsOf(counts: SurveyCounts, createdBy: string | undefined): RunTotals {
  const { rows, invalid, updates } = counts;
  const creates = createdBy === undefined ? counts.creates : 0;
  return { read: rows, rejected: invalid, skipped: countSkipped(counts, createdBy), updates, creates };
}

/** The rows of a surveyed input with nothing to send, or nothing that the push asks for. */
export function countSkipped(counts: SurveyCounts, createdBy: string | undefined): number {
  const { skipped, superseded, creates } = counts;
  return skipped + superseded + (createdBy === undefined ? 0 : creates);
}

/** The identity of an input's run. */
export function identityOf({ report }: SurveyedInput, { target }: Pick<ReadKeeping, "target">): RunIdentity {
  return { content: report.reading.fingerprint, ...target };
}

/**
 * How a shard starts with an input: its run has a fixed name, so that the next process of the shard finds it. Throws
 * a machine error if the run began and its journal is gone.
 */
async function startOfShard(identity: RunIdentity, state: StateDirectory, shard: Shard): Promise<Start> {
  const run = runOf(shard, identity.content);
  const stored = await loadRun(state, run);
  if (stored === undefined) {
    if (await hasBegun(shard.directory, run)) throw lostShard(shard, run);
    // Nothing was sent: a process that was killed while it began may have left a part of it.
    const directory = placeOfRun(placeOfTable(state, identity), run);
    await rm(directory, { recursive: true, force: true }).catch((cause: unknown) => {
      throw cannotUse(directory, cause);
    });
    return { kind: "new", createdBy: undefined };
  }
  // Its process may have been killed before it noted that.
  if (!(await hasBegun(shard.directory, run))) await noteBegun(shard, run);
  const { account, facts, directory } = stored;
  const runState = stateOf(account);
  if (runState === "unfinished" || runState === "unsettled")
    return { kind: "resume", stored, decision: shard.decision?.run === run ? shard.decision : undefined };
  const hasRejects = facts.totals.rejected + account.count("refused") > 0;
  const isAbandoned = runState === "abandoned";
  return {
    kind: "leftOut",
    earlier: { run, startedAt: facts.startedAt, hasRejects, isAbandoned, directory },
  };
}

/** Does the work that is left after a run has ended; its error is reported only if nothing failed before. */
export async function andCleanUp(
  act: () => Promise<void>,
  before?: RecPushError,
): Promise<RecPushError | undefined> {
  try {
    await act();
    return before;
  } catch (error) {
    if (error instanceof RecPushError) return before ?? error;
    throw error;
  }
}
