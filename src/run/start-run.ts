import { isAbsolute, join, resolve } from "node:path";
import type { SurveyCounts } from "../model/event.ts";
import type { RecordPlan } from "../journal/record-plan.ts";
import { JOURNAL_VERSION, type RunFacts, type RunIdentity, type RunTotals } from "../journal/run-facts.ts";
import type { WriterLock } from "../journal/journal-writer.ts";
import {
  decideStart,
  findOpenRunOf,
  refuseOtherContent,
  refuseOtherRecords,
  type Start,
} from "../ledger/decide-start.ts";
import { readPushed } from "../journal/content-index.ts";
import { decideDoubt, refuseDecided } from "../journal/decide-doubt.ts";
import type { DoubtDecision } from "../journal/doubt-decision.ts";
import { noteDecided } from "../finish/doubt-files.ts";
import { INPUT_COPY } from "../journal/run-store.ts";
import { OpenRun } from "../journal/open-run.ts";
import { findRun } from "../journal/find-runs.ts";
import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { ComparedAs } from "../ledger/comparison-form.ts";
import type { DriftRule } from "../drift/drift-rule.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Where runs are kept, and what of a command their journals hold. */
export interface RunKeeping {
  readonly state: StateDirectory;
  /** The table's lock, which the command holds. */
  readonly lock: WriterLock;
  readonly target: Omit<RunIdentity, "content">;
  readonly facts: Pick<RunFacts, "program" | "table" | "options" | "declared" | "headerNames" | "queryNames">;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Records that were created before are created again (`--again`). */
  readonly again: boolean;
  /** The addresses that the table had before (`--same-as`). */
  readonly formerUrls?: readonly string[] | undefined;
  /** The kind of files that the table gets. */
  readonly exports: ExportsOptions;
  /** A run that is taken up sends its values although a later one sent others since (`--stale-ok`). */
  readonly staleOk: boolean;
  /** What becomes of files that are unlike those before; `undefined` where they are not compared. */
  readonly drift?: DriftRule | undefined;
  /** The run to go on with, if the user asks for one. */
  readonly resumed?: string | undefined;
  /** The user's decision on records in doubt. */
  readonly decision?: DoubtDecision | undefined;
  /** The user has just said that records of the run are not there: this command does not send them. */
  readonly leavesAbsent?: boolean;
  /** The file of rows in doubt by which the user decides on them. */
  readonly doubtFile?: string | undefined;
  /** A name for a new run. */
  readonly nameRun: () => string;
}

/** How an input starts, before anything of the command is sent. Throws usage if it must not. */
export async function startOf(input: SurveyedInput, keeping: RunKeeping, plan: RecordPlan): Promise<Start> {
  const identity = identityOf(input, keeping);
  // Without a survey it is not known before it is read.
  const hasUpdates = input.report.counts === undefined || input.report.counts.updates > 0;
  const start: Start =
    keeping.resumed === undefined
      ? await decideStart(keeping.state, identity, keeping.again, hasUpdates)
      : {
          kind: "resume",
          stored: await findRun(keeping.state, keeping.resumed),
          decision: keeping.decision,
        };
  if (start.kind === "resume") {
    refuseOtherContent(start.stored, input.source.name, identity.content);
    refuseOtherRecords(start.stored, plan);
    refuseDecided(start.stored, start.decision);
    if (keeping.leavesAbsent !== true) start.stored.account.sendAbsent();
  }
  return start;
}

/** Makes the run of an input, or takes it up; `olderRuns` are open on the table now, `tell` hears what a person must know. */
export async function openRun(
  input: SurveyedInput,
  start: Exclude<Start, { kind: "leftOut" }>,
  keeping: RunKeeping,
  plan: RecordPlan,
  compared: ComparedAs,
  olderRuns: Iterable<string>,
  tell: (text: string) => void,
): Promise<OpenRun> {
  if (start.kind === "resume") {
    const run = await OpenRun.resume(keeping, start.stored);
    const { decision } = start;
    const undecided = decision && (await decideDoubt(run, decision));
    if (decision?.file !== undefined && keeping.doubtFile !== undefined)
      await noteDecided(run.directory, keeping.doubtFile, decision.file.sha256);
    if (undecided !== undefined) tell(undecided);
    return run;
  }
  const { source, report } = input;
  const file = source.name;
  const path = isAbsolute(file) ? file : resolve(keeping.cwd, file);
  const { counts } = report;
  const createdBy = start.createdBy?.run;
  const facts: RunFacts = {
    version: JOURNAL_VERSION,
    ...keeping.facts,
    run: keeping.nameRun(),
    startedAt: new Date().toISOString(),
    olderRuns: [...olderRuns],
    identity: identityOf(input, keeping),
    file,
    ...(source.keep === undefined ? { path } : {}),
    plan: plan.texts,
    compared,
    ...(keeping.again ? { again: true } : {}),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(counts === undefined ? {} : { totals: totalsOf(counts, createdBy) }),
  };
  return OpenRun.begin(keeping, facts, async (directory) => source.keep?.(join(directory, INPUT_COPY)));
}

function totalsOf(counts: SurveyCounts, createdBy: string | undefined): RunTotals {
  const { rows, invalid, updates } = counts;
  const creates = createdBy === undefined ? counts.creates : 0;
  return { read: rows, rejected: invalid, skipped: countSkipped(counts, createdBy), updates, creates };
}

/** The rows of a surveyed input that give nothing to send, or nothing that is wanted. */
export function countSkipped(counts: SurveyCounts, createdBy: string | undefined): number {
  const { skipped, superseded, creates } = counts;
  return skipped + superseded + (createdBy === undefined ? 0 : creates);
}

/** The directories of the runs that began to push an input's content, as far as they are kept. */
export async function directoriesOf(input: SurveyedInput, keeping: RunKeeping): Promise<readonly string[]> {
  const pushes = await readPushed(keeping.state.contents, identityOf(input, keeping));
  return pushes.map(({ run }) => join(keeping.state.runs, run));
}

/** The identity of an input's run. */
function identityOf({ report }: SurveyedInput, { target }: RunKeeping): RunIdentity {
  return { content: report.reading.fingerprint, ...target };
}

/** True if the run that goes on was begun before there was `--other-columns`. */
export async function isBegunAsNamed(
  content: string,
  { state, target, resumed }: RunKeeping,
): Promise<boolean> {
  const stored =
    resumed === undefined
      ? await findOpenRunOf(state, { content, ...target })
      : await findRun(state, resumed);
  return stored !== undefined && !("--other-columns" in stored.facts.plan);
}
