import { isAbsolute, join, resolve } from "node:path";
import type { SurveyCounts } from "../model/event.ts";
import type { PlanTexts } from "../journal/record-plan.ts";
import { JOURNAL_VERSION, type RunFacts, type RunIdentity, type RunTotals } from "../journal/run-facts.ts";
import type { WriterLock } from "../journal/journal-writer.ts";
import { decideStart, refuseOtherContent, refuseOtherRecords, type Start } from "../ledger/decide-start.ts";
import { readPushed } from "../journal/content-index.ts";
import { decideDoubt, type DoubtDecision } from "../journal/doubt-decision.ts";
import { noteDecided } from "../finish/doubt-files.ts";
import { areMended } from "../finish/holds-unmended.ts";
import { arePlanMended } from "./left-of-plan.ts";
import { INPUT_COPY, loadRun } from "../journal/run-store.ts";
import { OpenRun } from "../journal/open-run.ts";
import { findRun } from "../journal/find-runs.ts";
import type { ExportsOptions } from "../ledger/exports-rule.ts";
import type { ComparedAs } from "../ledger/comparison-form.ts";
import type { DriftRule } from "../drift/drift-rule.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { noteBegun, runOf, type Shard, shardFacts } from "../shards/open-shard.ts";
import { isRowsFile } from "./rejects-origin.ts";
import { startOfShard } from "./start-shard.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";

/** Where runs are kept, and what their journals hold of a command. */
export interface RunKeeping {
  readonly state: StateDirectory;
  /** The table's lock, which the command holds. */
  readonly lock: WriterLock;
  readonly target: Omit<RunIdentity, "content">;
  readonly facts: Pick<RunFacts, "program" | "table" | "options" | "declared" | "headerNames" | "queryNames">;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** Records that were created before are created again (`--again`). */
  readonly again: boolean;
  /** The addresses that the table had before (`--same-as`). */
  readonly formerUrls?: readonly string[] | undefined;
  /** What the files of the table hold. */
  readonly exports: ExportsOptions;
  /** A resumed run sends its values even if a later run has sent others since (`--stale-ok`). */
  readonly staleOk: boolean;
  /** What happens to files that are unlike those before; `undefined` if they are not compared. */
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
export async function startOf(input: SurveyedInput, keeping: RunKeeping, plan: PlanTexts): Promise<Start> {
  const identity = identityOf(input, keeping);
  const hasUpdates = input.report.counts.updates > 0;
  const start: Start =
    keeping.shard !== undefined
      ? await startOfShard(identity.content, keeping.state, keeping.shard)
      : keeping.resumed === undefined
        ? await notingMended(await decideStart(keeping.state, identity, keeping.again, hasUpdates), keeping)
        : {
            kind: "resume",
            stored: await findRun(keeping.state, keeping.resumed),
            decision: keeping.decision,
          };
  if (start.kind === "resume") {
    refuseOtherContent(start.stored, input.source.name, identity.content);
    refuseOtherRecords(start.stored, plan);
  }
  return start;
}

/** Of an input that is left out, nothing has to be mended once the rows that its push left were mended and pushed. */
async function notingMended(start: Start, { state }: RunKeeping): Promise<Start> {
  if (start.kind !== "leftOut" || !start.earlier.hasRejects) return start;
  const stored = await loadRun(state, start.earlier.run);
  const { run, plan } = start.earlier;
  const isMended =
    stored === undefined
      ? plan !== undefined && (await arePlanMended(state, { run, plan }))
      : await areMended(state, stored);
  if (!isMended) return start;
  return { kind: "leftOut", earlier: { ...start.earlier, hasRejects: false, isMended: true } };
}

/**
 * Creates the run of an input, or resumes it; `olderRuns` are open on the table now, `tell` is called with what the
 * user must know.
 */
export async function openRun(
  input: SurveyedInput,
  start: Exclude<Start, { kind: "leftOut" }>,
  keeping: RunKeeping,
  plan: PlanTexts,
  compared: ComparedAs,
  olderRuns: Iterable<string>,
  tell: (text: string) => void,
): Promise<OpenRun> {
  if (start.kind === "resume") {
    const run = await OpenRun.resume(keeping, start.stored);
    const { decision } = start;
    const undecided = decision && (await decideDoubt(run, decision));
    if (undecided !== undefined) tell(undecided);
    else if (decision?.file !== undefined) await noteDecided(run.directory, decision.file);
    return run;
  }
  const { source, report } = input;
  const { shard } = keeping;
  const file = source.name;
  const path = isAbsolute(file) ? file : resolve(keeping.cwd, file);
  const createdBy = start.createdBy?.run;
  const facts: RunFacts = {
    version: JOURNAL_VERSION,
    ...keeping.facts,
    run: shard === undefined ? keeping.nameRun() : runOf(shard, report.reading.fingerprint),
    command: keeping.command,
    startedAt: new Date().toISOString(),
    olderRuns: [...olderRuns],
    identity: identityOf(input, keeping),
    file,
    ...(source.keep === undefined ? { path } : {}),
    plan,
    compared,
    ...(keeping.again ? { again: true } : {}),
    ...((await isRowsFile(input, keeping)) ? { isRowsFile: true } : {}),
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

/** The rows of a surveyed input with nothing to send, or nothing that is wanted. */
export function countSkipped(counts: SurveyCounts, createdBy: string | undefined): number {
  const { skipped, superseded, creates } = counts;
  return skipped + superseded + (createdBy === undefined ? 0 : creates);
}

/** The directories of the runs that began to push an input's content, as far as they still exist. */
export async function directoriesOf(input: SurveyedInput, keeping: RunKeeping): Promise<readonly string[]> {
  const pushes = await readPushed(keeping.state.contents, identityOf(input, keeping));
  return pushes.map(({ run }) => join(keeping.state.runs, run));
}

/** The identity of an input's run. */
export function identityOf({ report }: SurveyedInput, { target }: RunKeeping): RunIdentity {
  return { content: report.reading.fingerprint, ...target };
}
