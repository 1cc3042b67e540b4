import { rm } from "node:fs/promises";
import { decideStart, refuseOtherContent, refuseOtherRecords, type Start } from "../ledger/decide-start.ts";
import { createLineNames } from "../files/doubt-files.ts";
import type { RunEvent } from "../model/event.ts";
import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { eachRecord } from "../prepare/stream.ts";
import type { ReadOptions } from "../read/read-options.ts";
import { hasBegun, lostShard, noteBegun, runOf, type Shard } from "../shards/open-shard.ts";
import {
  type DoubtDecision,
  isOpen,
  keptOf,
  type KeptRun,
  loadKept,
  readRun,
  type StoredRun,
} from "../store/summarise-run.ts";
import { findRun } from "../store/close-finished.ts";
import { pushesOf } from "../store/find-books.ts";
import { rangesOf } from "../store/number-ranges.ts";
import { describeRecordPlan, type RunIdentity } from "../store/run-facts.ts";
import { orCannotUse, placeOfRun, placeOfTable, type StateDirectory } from "../store/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { findOvertaken, type OvertakenRows } from "./overtaken.ts";
import { identityOf, type PushRequest, type ReadKeeping } from "./push-request.ts";
import { readOrigins, type TracedInput } from "./rejects-origin.ts";

/** A command that asks the book about its inputs. */
interface Asking {
  readonly request: Pick<PushRequest, "read" | "optionPlan">;
  readonly keeping: ReadKeeping;
  readonly emit: (event: RunEvent) => void;
}

/** An input of which only the start is decided. */
export interface StartedInput extends TracedInput {
  /** Its place among those of the command. */
  readonly at: number;
  readonly start: Start;
  /** Its updates that later runs overtook; `undefined` if there are none. */
  readonly overtaken: OvertakenRows | undefined;
}

/** Decides how every input starts, before any is sent. Throws if one of them must not start. */
export async function startInputs(
  inputs: readonly SurveyedInput[],
  { request, keeping, emit }: Asking,
): Promise<readonly StartedInput[]> {
  const { read } = request;
  const started: StartedInput[] = [];
  for (const [at, input] of inputs.entries()) {
    const same = started.findLast((other) => contentOf(other.input) === contentOf(input));
    // Files between them may have changed the records that its rows update.
    const mayRestore = input.report.counts.updates > 0 && same?.at !== at - 1;
    if (same !== undefined && !mayRestore) {
      const start = { kind: "leftOut", earlier: undefined, twin: same.input.source.name } as const;
      started.push({ input, at, start, origins: undefined, overtaken: undefined });
      continue;
    }
    // A plan takes no rejects.
    const origins = keeping.shard === undefined ? await readOrigins(input, keeping, read) : undefined;
    let start: Start =
      same === undefined
        ? await startOf({ input, origins }, keeping, request)
        : { kind: "new", createdBy: undefined };
    if (start.kind === "resume" && start.decision !== undefined)
      start = { ...start, decision: await decideByFile(input, start.stored, start.decision, read) };
    const isAsked = start.kind !== "leftOut" && !keeping.staleOk && keeping.shard === undefined;
    const stored = start.kind === "resume" ? start.stored : undefined;
    const before = inputs.slice(0, at);
    const late = { input, origins, keeping, read, stored, before, tell: tellOf(input, emit) };
    started.push({ input, at, start, origins, overtaken: isAsked ? await findOvertaken(late) : undefined });
  }
  return started;
}

function contentOf({ report }: SurveyedInput): string {
  return report.reading.fingerprint;
}

/** How an input starts, before anything of the command is sent. Throws a usage error if it must not. */
async function startOf(
  { input, origins }: TracedInput,
  keeping: ReadKeeping,
  { optionPlan }: Pick<PushRequest, "optionPlan">,
): Promise<Start> {
  const identity = identityOf(input, keeping);
  const hasUpdates = input.report.counts.updates > 0;
  const start: Start =
    keeping.shard !== undefined
      ? await startOfShard(identity, keeping.state, keeping.shard)
      : keeping.resumed === undefined
        ? ((origins && (await startOfMended(input, keeping))) ??
          (await decideStart(keeping.state, identity, keeping.again, hasUpdates)))
        : await startOfResumed(keeping, keeping.resumed);
  if (start.kind === "resume") {
    refuseOtherContent(start.stored.facts, input.source.name, identity.content);
    refuseOtherRecords(start.stored.facts, describeRecordPlan(input, optionPlan));
  }
  return start;
}

/**
 * Mended rows that were accepted are not sent again with their file: they could bring older values back, because no file says
 * what the run that left them has sent since. `undefined` if they are to be sent.
 */
async function startOfMended(input: SurveyedInput, keeping: ReadKeeping): Promise<Start | undefined> {
  const { state, again, staleOk } = keeping;
  const last = again || staleOk ? undefined : (await pushesOf(state, identityOf(input, keeping))).at(-1);
  if (last?.closed?.exitCode !== EXIT.ok || last.closed.isAbandoned === true) return undefined;
  const kept = await loadKept(state, last.run);
  return kept && leftOut(kept);
}

/** How a resumed run goes on. It does not if another command has ended it in the meantime. */
async function startOfResumed({ state, decision }: ReadKeeping, resumed: string): Promise<Start> {
  const kept = await findRun(state, resumed);
  const { stored } = kept;
  return stored === undefined || !isOpen(stored) ? leftOut(kept) : { kind: "resume", stored, decision };
}

/** The start of an input whose run has nothing left to do. */
function leftOut({ run, begun: { startedAt }, end, directory }: KeptRun): Start {
  const leftIn = (end.toMend ?? 0) > 0 ? directory : undefined;
  return { kind: "leftOut", earlier: { run, startedAt, leftIn } };
}

/**
 * How a shard starts with an input: its run has a fixed name, so that the next process of the shard finds it. Throws
 * a machine error if the run began, and its book or its journal is gone or damaged.
 */
async function startOfShard(identity: RunIdentity, state: StateDirectory, shard: Shard): Promise<Start> {
  const run = runOf(shard, identity.content);
  const { stored, loss } = await readRun(state, run);
  if (loss !== undefined) throw lostShard(shard, loss.message);
  const isBegun = await hasBegun(shard.directory, run);
  if (stored === undefined) {
    if (isBegun) throw lostShard(shard, "it began, and its book is gone");
    // Nothing was sent: a process that was killed while it began may have left a part of it.
    const directory = placeOfRun(placeOfTable(state, identity), run);
    await orCannotUse(directory, () => rm(directory, { recursive: true, force: true }));
    return { kind: "new", createdBy: undefined };
  }
  // Its process may have been killed before it noted that.
  if (!isBegun) await noteBegun(shard, run);
  if (!isOpen(stored)) return leftOut(keptOf(stored));
  return { kind: "resume", stored, decision: shard.decision?.run === run ? shard.decision : undefined };
}

/**
 * The decision that a file of rows in doubt gives: the rows that are left in it are sent, the deleted ones count as
 * applied. Throws a usage error if it holds a row that is not in doubt.
 */
async function decideByFile(
  input: SurveyedInput,
  { account }: StoredRun,
  decision: DoubtDecision,
  read: ReadOptions,
): Promise<DoubtDecision> {
  const { file } = decision;
  if (file === undefined || account.doubt !== decision.doubt) return decision;
  const left = new Set(file.left);
  const applied: number[] = [];
  const nameLine = createLineNames();
  await eachRecord(input, { read }, ({ kind, ordinal, line }) => {
    if (account.standingOf(kind, ordinal) === "inDoubt" && !left.delete(nameLine(line)))
      applied.push(ordinal);
  });
  const [other] = left;
  if (other !== undefined)
    throw new RecPushError(
      "bad-doubt-file",
      `${file.path}: the row of line ${other} is not in doubt; nothing is decided, and nothing was sent`,
      {
        hint: "delete whole rows only: those that are in the service; a row that is to be sent stays as it is",
      },
    );
  return { ...decision, applied: rangesOf(applied) };
}

/** Says something about an input that is always shown. */
export function tellOf({ source: { name: file } }: SurveyedInput, emit: (event: RunEvent) => void) {
  return (text: string): void => emit({ event: "notice", file, text, isAlwaysShown: true });
}
