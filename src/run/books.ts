import { DoubtFiles } from "../finish/doubt-files.ts";
import { OutcomeLog } from "../finish/outcome-log.ts";
import { placeOfKnown, type KnownFiles } from "../finish/known-files.ts";
import { RejectsAccount } from "../finish/rejects-account.ts";
import { noteResults } from "../finish/kept-results.ts";
import { writeResults } from "../finish/results.ts";
import { RowLog } from "../finish/row-log.ts";
import { VerdictLog } from "../finish/verdict-log.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { RecPushError } from "../model/failure.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { orFailure } from "./or-failure.ts";
import type { PushRequest } from "./push-request.ts";
import type { RunControl } from "./run-inputs.ts";
import type { RunKeeping } from "./start-run.ts";
import type { Tally } from "./tally.ts";

/** Everything that a push records about its rows, and the files that are made of it. */
export class Books {
  readonly tally: Tally;
  readonly verdicts: VerdictLog;
  readonly outcomes: OutcomeLog;
  /** Rows in doubt; only for runs that are kept. */
  readonly doubts: VerdictLog;
  /** Only if results are wanted. */
  readonly rows: RowLog | undefined;
  readonly rejects: RejectsAccount;
  readonly doubtFiles: DoubtFiles;
  /** The accounts of the inputs whose runs are kept, by input. */
  readonly accounts = new Map<number, RunAccount>();
  readonly emit: RunControl["emit"];
  readonly #inputs: readonly SurveyedInput[];
  readonly #request: PushRequest;
  readonly #abort: AbortSignal;

  /** `directory` is private and outlives this object. */
  constructor(
    inputs: readonly SurveyedInput[],
    request: PushRequest,
    { abort, emit }: RunControl,
    tally: Tally,
    directory: string,
  ) {
    this.tally = tally;
    this.verdicts = new VerdictLog(directory);
    this.outcomes = new OutcomeLog(directory);
    this.doubts = new VerdictLog(directory);
    this.rows = request.results === undefined ? undefined : new RowLog(directory, request.results.identity);
    const tell = (file: string, text: string): void =>
      emit({ kind: "notice", file, notice: { text }, isAlwaysShown: true });
    const { verdicts } = this;
    const known = knownFiles(request.keeping);
    this.rejects = new RejectsAccount({ inputs, verdicts, abort, tell, known }, request.rejects ?? []);
    this.doubtFiles = new DoubtFiles({ inputs, verdicts: this.doubts, abort }, this.rejects);
    this.emit = emit;
    this.#inputs = inputs;
    this.#request = request;
    this.#abort = abort;
  }

  /** Notes in a run that begins or is resumed where its results will be. */
  async beginResults(run: string): Promise<void> {
    const { results, keeping } = this.#request;
    if (results === undefined || keeping === undefined) return;
    const runs = [...new Set([...(results.runs ?? []), run])];
    if (results.runs?.includes(run) !== true) await noteResults(keeping.state.runs, runs, results);
  }

  /** Writes the files of the command as a whole; returns what stopped it. */
  async finish(stopped: RecPushError | undefined): Promise<RecPushError | undefined> {
    const { rows, outcomes, accounts } = this;
    const { results } = this.#request;
    // A later input may hold the later row.
    const failure = this.#inputs.length > 1 ? await orFailure(() => this.rejects.finish(), stopped) : stopped;
    if (results === undefined || rows === undefined) return failure;
    const source = { inputs: this.#inputs, rows, outcomes, accounts, abort: this.#abort };
    return orFailure(
      () => writeResults(source, results, (sha256) => this.#noteResults(results.path, sha256)),
      failure,
    );
  }

  /** Notes in every run of the command where its results are. */
  async #noteResults(path: string, sha256: string): Promise<void> {
    const { keeping } = this.#request;
    const names = [...this.accounts.values()].flatMap(({ facts }) => facts?.run ?? []);
    const runs = [...new Set([...(this.#request.results?.runs ?? []), ...names])];
    if (keeping !== undefined) await noteResults(keeping.state.runs, runs, { path, sha256 });
  }

  async remove(): Promise<void> {
    await this.verdicts.remove();
    await this.outcomes.remove();
    await this.doubts.remove();
    await this.rows?.remove();
  }
}

/** Where the files of rows that pushes to a target write are noted; `undefined` if nothing is kept. */
function knownFiles(keeping: RunKeeping | undefined): KnownFiles | undefined {
  if (keeping === undefined) return undefined;
  const { state, target, exports } = keeping;
  return { ...placeOfKnown(state, target), areFull: exports.exports === "full" };
}
