import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { openRunError } from "../ledger/decide-start.ts";
import { writePrints } from "../ledger/ledger-file.ts";
import type { RunEnd } from "../model/exit-code.ts";
import { interruption, RecPushError } from "../model/failure.ts";
import { dealParts } from "../shards/deal-parts.ts";
import { keepSurvey, makePlanDirectory } from "../shards/open-shard.ts";
import { readRecords } from "../shards/part-file.ts";
import {
  draftPlan,
  enforcePlan,
  placesOf,
  type PlannedFile,
  runNameOf,
  type ShardPlan,
} from "../shards/shard-plan.ts";
import type { PlanHold } from "../store/book-entries.ts";
import { bookOf } from "../store/find-books.ts";
import { cannotUse } from "../store/state-directory.ts";
import { type RunControl, runInputs } from "./check.ts";
import type { HeldInput } from "./close-plan.ts";
import { type DecidedInput, type DecidedPush, decidePush, tellDecided } from "./decide-inputs.ts";
import { DuplicateCheck } from "./duplicate-check.ts";
import type { PushRequest, RunKeeping } from "./push-request.ts";

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
  const end = await runInputs(request, control, async (inputs, tally, directory) => {
    const { keeping } = request;
    const duplicates = new DuplicateCheck({ request, keeping, directory });
    try {
      const decided = await decidePush(inputs, tally, request, duplicates, control.emit);
      refuseInputs(decided);
      refuseOpen(decided, tally.openRuns);
      await tellDecided(decided.inputs, request, control.emit);
      for (const { input, start, answer } of decided.inputs) {
        if (start.kind === "leftOut") tally.leaveOut(input.report.counts, start.earlier);
        if (answer !== undefined) tally.leaveCreatesOut(answer.counts, answer.doubtful);
      }
      made = await makePlan(decided, request, control);
      return undefined;
    } finally {
      await duplicates.close();
    }
  });
  return { ...end, made };
}

async function makePlan(
  { inputs, profiles }: DecidedPush,
  request: PlanRequest,
  control: RunControl,
): Promise<ShardPlan | undefined> {
  const { keeping, out } = request;
  if (inputs.every(({ start }) => start.kind === "leftOut")) return undefined;
  try {
    const planned: PlannedFile[] = [];
    for (const decided of inputs)
      planned.push({
        ...(await writeInput(decided, request, control)),
        profile: profiles.get(decided.at),
      });
    const { program, table, options, declared } = keeping.facts;
    const plan: ShardPlan = {
      version: 1,
      ...request.plan,
      program,
      table,
      options,
      declared,
      startedAt: new Date().toISOString(),
      target: keeping.target,
      stateRoot: keeping.state.root,
      again: keeping.again,
      inputs: planned,
    };
    await draftPlan(out, plan);
    // The comparison has taught the ledger something.
    for (const { answer, at } of inputs) await answer?.note(runNameOf(request.plan.plan, 0, at));
    const book = await bookOf(keeping.state, keeping.lock.table);
    await book.append(keeping.lock, { entry: "held", hold: await holdOf(plan, inputs, out, book.directory) });
    await enforcePlan(out);
    return plan;
  } catch (cause) {
    if (cause instanceof RecPushError || (cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw cannotUse(out, cause);
  }
}

function whyLeftOutOf({ start, answer }: DecidedInput) {
  const isPushed = start.kind === "leftOut" || (start.kind === "new" && start.createdBy !== undefined);
  return isPushed ? () => "created" as const : answer?.whyLeftOut;
}

async function writeInput(
  decided: DecidedInput,
  { out, read, plan }: PlanRequest,
  { drain }: RunControl,
): Promise<PlannedFile> {
  const { input, at } = decided;
  const parts = await dealParts(input, at, {
    shards: plan.shards,
    directory: out,
    read,
    whyLeftOut: whyLeftOutOf(decided),
    stop() {
      if (drain.aborted) throw interruption();
    },
  });
  return {
    file: input.source.name,
    content: input.report.reading.fingerprint,
    survey: keepSurvey(input),
    leftOut: input.report.counts.creates - parts.reduce((sum, { creates }) => sum + creates, 0),
    parts,
  };
}

/**
 * The part of a plan that the user's state keeps: if the plan's directory is lost, each of its creates may be in the
 * service. `place` is the table's directory.
 */
async function holdOf(
  plan: ShardPlan,
  decided: readonly DecidedInput[],
  out: string,
  place: string,
): Promise<PlanHold> {
  const { target, table, inputs, startedAt } = plan;
  const { url, queries } = target;
  const held: HeldInput[] = [];
  for (const [at, { file, content, parts }] of inputs.entries()) {
    if (parts.every(({ creates }) => creates === 0)) continue;
    const run = runNameOf(plan.plan, 0, at);
    const { dbVersion, runKey } = target;
    const form = decided[at]!.form!;
    const about = {
      kind: "created" as const,
      run,
      startedAt,
      file,
      dbVersion,
      content,
      runKey,
      leavesRows: true,
      ...form.comparedAs,
      doubt: nameDoubt(run),
      certain: 0,
      doubtful: parts.reduce((sum, { creates }) => sum + creates, 0),
    };
    const print = Buffer.alloc(form.width);
    const prints = await writePrints(place, run, about, async (put) => {
      for (const shard of parts.keys()) {
        const part = createReadStream(placesOf(out).part(at, shard + 1));
        for await (const { records } of readRecords(part))
          for (const { of, from, to } of records.stretches)
            for (let index = from; index < to; index++) {
              if (of.kind(index) !== "create") continue;
              form.print(of.text, of.start(index), of.bytes(index), print, 0);
              put(print, 0);
            }
      }
    });
    held.push({ run, startedAt, file, identity: { content, ...target }, prints });
  }
  const where = queries === undefined ? { url } : { url, queries };
  return { plan: plan.plan, ...where, table, directory: out, inputs: held };
}

/** A name for the doubt of a content whose plan has lost its directory. */
function nameDoubt(run: string): string {
  return createHash("sha256").update(run).digest("hex").slice(0, 8);
}

/** A push that is to be shared: `shards` processes, and the directory that they share. */
export interface PlanRequest extends PushRequest {
  readonly keeping: RunKeeping;
  readonly plan: Pick<ShardPlan, "plan" | "shards" | "headerNames" | "queryNames">;
  /** Absolute. */
  readonly out: string;
}

/**
 * Throws a usage error for a content that comes twice, because a run of a shard has the name of its content, and for mended
 * rejects: a shard does not search for later rows that overtake them.
 */
function refuseInputs({ inputs }: DecidedPush): void {
  const names = new Map<string, string>();
  for (const { input, origins } of inputs) {
    const { name } = input.source;
    const twin = names.get(input.report.reading.fingerprint);
    if (origins !== undefined)
      throw notPlanned(`${name} holds rejects of an earlier push`, "push it without a plan");
    if (twin !== undefined)
      throw notPlanned(`${name} has the same content as ${twin}`, "leave one of them out");
    names.set(input.report.reading.fingerprint, name);
  }
}

/** The failure for an input or option that a plan does not support. */
export function notPlanned(what: string, hint: string): RecPushError {
  return new RecPushError("not-planned", `${what}: a plan cannot share it out; nothing was planned`, {
    hint,
  });
}

/** A plan would overtake runs that are still open: their values are older. */
function refuseOpen({ inputs }: DecidedPush, openRuns: ReadonlySet<string>): void {
  const [run] = [
    ...inputs.flatMap(({ start }) => (start.kind === "resume" ? start.stored.run : [])),
    ...openRuns,
  ];
  if (run !== undefined) throw openRunError(run, "on this table is still open; nothing was planned");
}
