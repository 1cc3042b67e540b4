import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import type { RunEnd } from "../model/run-end.ts";
import { dealRows, type DealtInput } from "../shards/deal-rows.ts";
import { makePlanDirectory } from "../shards/plan-directory.ts";
import { draftPlan, enforcePlan, type PlannedFile, runNameOf, type ShardPlan } from "../shards/shard-plan.ts";
import { noteHold } from "../state/plan-hold.ts";
import { cannotUse } from "../state/state-directory.ts";
import { hasDistinctKeys } from "../survey/distinct-keys.ts";
import { RepeatedKeys } from "../survey/repeated-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { LedgerDesk } from "./ask-ledger.ts";
import { Books } from "./books.ts";
import { changedLines, createdBeforeTexts } from "./created-before-texts.ts";
import { decideStarts } from "./decide-starts.ts";
import { type DriftWatch, judgeDrift } from "./judge-drift.ts";
import { leftOutText, updatesOnlyText } from "./left-out-texts.ts";
import type { DecidedStarts } from "./pushing.ts";
import { type RunControl, runInputs } from "./run-inputs.ts";
import type { PlanRequest } from "./plan-request.ts";
import { refuseInputs, refuseOpen } from "./refuse-unplanned.ts";
import { holdOf, pathOf, statFile, writeInput } from "./write-planned.ts";

/**
 * Decides everything about a push before anything is sent (survey, ledger, which shard sends which rows), and leaves it in a
 * directory from which each shard sends its part. `made` is missing in the result if there is nothing to send or something
 * stopped it; then nothing is held.
 */
export async function planPush(
  request: PlanRequest,
  control: RunControl,
): Promise<RunEnd & { readonly made?: ShardPlan | undefined }> {
  let made: ShardPlan | undefined;
  // A place that cannot be used is reported before hours of reading.
  await makePlanDirectory(request.out);
  const end = await runInputs(request, control, async (_, directory) => ({
    async finish(inputs, tally) {
      refuseInputs(inputs);
      const books = new Books(inputs, request, control, tally, directory);
      const desk = new LedgerDesk(request, request.keeping, directory);
      let drift: DriftWatch | undefined;
      try {
        const decided = await decideStarts(inputs, {
          request,
          books,
          desk,
          onStarts: async (starts) => {
            drift = await judgeDrift(inputs, starts, request.keeping, request, control.emit);
          },
        });
        refuseOpen(decided);
        made = await makePlan({ inputs, request, control, books, decided, drift }, directory);
        return undefined;
      } finally {
        await books.remove();
        await desk.close();
      }
    },
  }));
  return { ...end, made };
}

/** The parts from which a plan is made. */
interface Making {
  readonly inputs: readonly SurveyedInput[];
  readonly request: PlanRequest;
  readonly control: RunControl;
  readonly books: Books;
  readonly decided: DecidedStarts;
  readonly drift: DriftWatch | undefined;
}

/** `directory` is private, for what does not fit into memory. */
async function makePlan(making: Making, directory: string): Promise<ShardPlan | undefined> {
  const { inputs, request, control, decided, drift } = making;
  const { keeping, out } = request;
  await tellLeftOut(making);
  if (decided.starts.every(({ kind }) => kind === "leftOut")) return undefined;
  const isSure = inputs.length === 1 && hasDistinctKeys(inputs[0]!.report.counts);
  const keys = isSure ? undefined : new RepeatedKeys(directory);
  const dealt: DealtInput[] = [];
  try {
    // Before the rows are dealt: that pass proves what these files hold.
    const files = await Promise.all(inputs.map(({ source }, at) => statFile(source, pathOf(request, at))));
    for (const [at, input] of inputs.entries()) {
      const stop = (): void => {
        if (control.drain.aborted) throw interruption();
      };
      const whyLeftOut = whyLeftOutOf(decided, at);
      dealt.push(
        await dealRows(input, { shards: request.plan.shards, read: request.read, whyLeftOut, keys, stop }),
      );
    }
    const dealtBy = (await keys?.haveSeveralStarts()) === true ? "keys" : "slices";
    const planned: PlannedFile[] = [];
    for (const [at, input] of inputs.entries()) {
      const profile = drift?.profileOf(at);
      planned.push(await writeInput(input, request, at, { ...dealt[at]!, ...files[at]!, dealtBy, profile }));
    }
    const { program, table, options, declared } = keeping.facts;
    const plan: ShardPlan = {
      version: 1,
      ...request.plan,
      program,
      table,
      options,
      declared,
      dealtBy,
      startedAt: new Date().toISOString(),
      target: keeping.target,
      stateRoot: keeping.state.root,
      again: keeping.again,
      inputs: planned,
    };
    await draftPlan(out, plan);
    await noteAnswers(making);
    await noteHold(keeping.state, holdOf(plan, out));
    await enforcePlan(out);
    return plan;
  } catch (cause) {
    if (cause instanceof RecPushError || (cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw cannotUse(out, cause);
  } finally {
    await keys?.remove();
  }
}

function whyLeftOutOf({ starts, answers }: DecidedStarts, at: number) {
  const start = starts[at];
  const isPushed = start?.kind === "leftOut" || (start?.kind === "new" && start.createdBy !== undefined);
  return isPushed ? () => "created" as const : answers[at]?.whyLeftOut;
}

/** Reports once, for all shards, the creates that are left out because they were created before. */
async function tellLeftOut({ inputs, request, control, books, decided }: Making): Promise<void> {
  for (const [at, { source, report }] of inputs.entries()) {
    const file = source.name;
    const tell = (text: string): void =>
      control.emit({ kind: "notice", file, notice: { text }, isAlwaysShown: true });
    const start = decided.starts[at]!;
    if (start.kind === "leftOut") {
      tell(leftOutText(file, start.earlier));
      books.tally.leaveOut(report.counts, start.earlier);
    }
    if (start.kind === "new" && start.createdBy !== undefined)
      tell(updatesOnlyText(file, start.createdBy, report.counts.creates));
    const answer = decided.answers[at];
    if (answer === undefined) continue;
    const changed = await changedLines(inputs[at]!, request.read, answer);
    books.tally.leaveCreatesOut(answer.counts, answer.doubtful);
    for (const { text, isAlwaysShown } of createdBeforeTexts(
      file,
      request.keeping.facts.table,
      answer,
      changed,
    ))
      control.emit({ kind: "notice", file, notice: { text }, ...(isAlwaysShown ? { isAlwaysShown } : {}) });
  }
}

/** Notes in the ledger what the comparison has taught it. */
async function noteAnswers({ inputs, request, decided }: Making): Promise<void> {
  for (const at of inputs.keys()) await decided.answers[at]?.note(runNameOf(request.plan.plan, 0, at));
}
