import { fstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { RunEnd } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import type { Source } from "../read/source/source.ts";
import { dealRows, type DealtInput, type DealtSlice } from "../shards/deal-rows.ts";
import { makePlanDirectory } from "../shards/open-shard.ts";
import {
  draftPlan,
  enforcePlan,
  placesOf,
  type PlannedFile,
  type PlannedPart,
  runNameOf,
  type ShardPlan,
  sumOf,
  writeSettled,
} from "../shards/shard-plan.ts";
import type { PlanHold } from "../store/book-entries.ts";
import { bookOf } from "../store/find-books.ts";
import { replaceFile } from "../store/private-file.ts";
import { cannotUse } from "../store/state-directory.ts";
import { RepeatedKeys } from "../survey/repeated-keys.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { hasDistinctKeys } from "../survey/survey-inputs.ts";
import { type RunControl, runInputs } from "./check.ts";
import type { HeldInput } from "./close-plan.ts";
import { changedLines, createdBeforeTexts, leftOutText, updatesOnlyText } from "./created-before-texts.ts";
import { decideStarts } from "./decide-starts.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import { type DriftWatch, judgeDrift } from "./judge-drift.ts";
import { type PushRequest, type RunKeeping, RunOutputs } from "./run-outputs.ts";
import type { DecidedStarts } from "./send-input.ts";

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
      const books = new RunOutputs(inputs, request, control, tally, directory);
      const duplicates = new DuplicateCheck(request, request.keeping, directory);
      let drift: DriftWatch | undefined;
      try {
        const decided = await decideStarts(inputs, {
          request,
          books,
          duplicates,
          onStarts: async (starts) => {
            drift = await judgeDrift(inputs, starts, request.keeping, request, control.emit);
          },
        });
        refuseOpen(decided);
        made = await makePlan({ inputs, request, control, books, decided, drift }, directory);
        return undefined;
      } finally {
        await books.remove();
        await duplicates.close();
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
  readonly books: RunOutputs;
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
    const book = await bookOf(keeping.state, keeping.lock.table);
    await book.append(keeping.lock, { entry: "held", hold: holdOf(plan, out) });
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

async function writeInput(
  input: SurveyedInput,
  request: PlanRequest,
  at: number,
  {
    slices,
    isAlone,
    bytes,
    mtimeMs,
    dealtBy,
    profile,
  }: DealtInput & Pick<PlannedFile, "bytes" | "mtimeMs" | "profile"> & Pick<ShardPlan, "dealtBy">,
): Promise<PlannedFile> {
  const path = pathOf(request, at);
  const places = placesOf(request.out);
  const parts: PlannedPart[] = [];
  for (const [shard, slice] of slices.entries()) {
    const hasLeftOut = slice.leftOut.length > 0;
    if (hasLeftOut)
      await replaceFile(places.leftOut(at, shard + 1), (file) => file.write(Buffer.from(slice.leftOut)));
    parts.push({ ...partOf(slice, dealtBy), ...(hasLeftOut ? { leftOut: sumOf(slice.leftOut) } : {}) });
  }
  const { fingerprint: content } = input.report.reading;
  const survey = await writeSettled(places.survey(at), input);
  return { file: input.source.name, path, bytes, mtimeMs, content, survey, isAlone, profile, parts };
}

function pathOf({ files, keeping }: PlanRequest, at: number): string {
  return resolve(keeping.cwd, files[at]!);
}

/** Size and time of an input; no time if its path now leads to another file. */
async function statFile({ fd }: Source, path: string): Promise<Pick<PlannedFile, "bytes" | "mtimeMs">> {
  const facts = await stat(path);
  const isSame = fd !== undefined && fstatSync(fd).ino === facts.ino;
  return { bytes: facts.size, mtimeMs: isSame ? facts.mtimeMs : -1 };
}

function partOf(slice: DealtSlice, dealtBy: ShardPlan["dealtBy"]): PlannedPart {
  const { from, to, line, rows, creates, invalid, invalidBytes, skipped } = slice;
  const updates = dealtBy === "keys" ? slice.updatesByKey : slice.updates;
  return {
    from,
    to,
    line,
    rows: rows - slice.updates + updates,
    updates,
    creates,
    invalid,
    invalidBytes,
    skipped,
  };
}

/** The part of a plan that the user's state keeps: enough to know what may have been created if its directory is lost. */
function holdOf(plan: ShardPlan, directory: string): PlanHold {
  const { target, table, inputs, startedAt } = plan;
  const held = inputs.map(({ file, content, parts }, at): HeldInput => {
    const hasCreates = parts.some(({ creates }) => creates > 0);
    return {
      run: runNameOf(plan.plan, 0, at),
      startedAt,
      file,
      hasCreates,
      identity: { content, ...target },
    };
  });
  const { url, queries } = target;
  return {
    plan: plan.plan,
    url,
    ...(queries === undefined ? {} : { queries }),
    table,
    directory,
    inputs: held,
  };
}

/** A push that is to be shared: `shards` processes, and the directory that they share. */
export interface PlanRequest extends PushRequest {
  readonly keeping: RunKeeping;
  readonly plan: Pick<ShardPlan, "plan" | "shards" | "headerNames" | "queryNames">;
  /** Absolute. */
  readonly out: string;
}

/** Throws a usage error for inputs of which a shard could not read its part again. */
function refuseInputs(inputs: readonly SurveyedInput[]): void {
  const contents = new Map<string, string>();
  for (const { source, report } of inputs) {
    const { format, fingerprint } = report.reading;
    if (source.keep !== undefined || source.fd === undefined)
      throw notPlanned(
        `${source.name} can be read only once`,
        "save it as a file first, where every shard can read it",
      );
    if (format === "xlsx")
      throw notPlanned(
        `${source.name} is an Excel workbook`,
        "save it as CSV (UTF-8), or push it without a plan",
      );
    const same = contents.get(fingerprint);
    if (same !== undefined)
      throw notPlanned(`${source.name} has the same content as ${same}`, "leave one of them out");
    contents.set(fingerprint, source.name);
  }
}

/** The failure for what a plan cannot keep to. */
export function notPlanned(what: string, hint: string): RecPushError {
  return new RecPushError(
    "usage",
    "not-planned",
    `${what}: a plan cannot share it out; nothing was planned`,
    { hint },
  );
}

/** A plan would overtake runs that are still open: their values are older. */
function refuseOpen({ openRuns, starts }: DecidedStarts): void {
  const [run] = [
    ...starts.flatMap((start) => (start.kind === "resume" ? start.stored.run : [])),
    ...openRuns,
  ];
  if (run === undefined) return;
  throw new RecPushError(
    "usage",
    "open-run",
    `the run ${run} on this table is still open; nothing was planned`,
    {
      hint: `finish it: rec-push resume ${run}\nor give it up: rec-push runs abandon ${run}`,
    },
  );
}
