import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { interruption } from "../model/interruption.ts";
import { quoteWord } from "../model/text.ts";
import { openContent } from "../read/read-rows.ts";
import type { Source } from "../read/source/source.ts";
import type { RunFacts } from "../store/run-facts.ts";
import type { DoubtDecision } from "../store/doubt-decision.ts";
import { replaceFile } from "../store/private-file.ts";
import { readOwnFile, syncDirectory } from "../store/state-directory.ts";
import type { InputPart } from "../survey/input-part.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { LEFT_OUT_CODES, shardOfKey } from "./deal-rows.ts";
import {
  placesOf,
  type PlannedFile,
  readPart,
  readSettled,
  runNameOf,
  type ShardPlan,
} from "./shard-plan.ts";

/** A shard of a plan, counted from 1, in the process that pushes it. */
export interface Shard {
  readonly plan: ShardPlan;
  /** The plan's directory. */
  readonly directory: string;
  readonly shard: number;
  /** The user's decision on what one of its runs has in doubt. */
  readonly decision?: (DoubtDecision & { readonly run: string }) | undefined;
}

/** A shard as messages call it. */
export function nameShard({ plan, shard }: Pick<Shard, "plan" | "shard">): string {
  return `the shard ${shard}/${plan.shards}`;
}

/** The options that name a shard in a command. */
export function shardWords({ plan, directory, shard }: Shard): string {
  return `--plan ${quoteWord(directory)} --shard ${shard}/${plan.shards}`;
}

/** The shard as the journal of its run keeps it. */
export function shardFacts({ plan, directory, shard }: Shard): NonNullable<RunFacts["shard"]> {
  return { plan: plan.plan, directory, shard, of: plan.shards };
}

/** The names of the runs of a shard, one for each input. */
export function runsOf({ plan, shard }: Pick<Shard, "plan" | "shard">): readonly string[] {
  return plan.inputs.map((_, input) => runNameOf(plan.plan, shard, input));
}

/** The name of the run in which a shard pushes an input. */
export function runOf({ plan, shard }: Shard, content: string): string {
  return runNameOf(
    plan.plan,
    shard,
    plan.inputs.findIndex((input) => input.content === content),
  );
}

/** How a plan ended; `undefined` while it is open. */
export async function findClosing(directory: string): Promise<"settled" | "abandoned" | undefined> {
  try {
    return JSON.parse(await readOwnFile(placesOf(directory).closed)).how;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Throws a usage error if the plan was given up or closed; to be called with the shard's lock held. */
export async function refuseClosed({ directory, plan }: Pick<Shard, "directory" | "plan">): Promise<void> {
  const how = await findClosing(directory);
  if (how === undefined) return;
  const what = how === "settled" ? "is closed: all of its shards were settled" : "was given up";
  throw new RecPushError(
    "usage",
    "plan-closed",
    `the plan ${plan.plan} in ${directory} ${what}; nothing was sent`,
    {
      hint: "what it sent is in the ledger: pushing its files now leaves that out",
    },
  );
}

/**
 * An input of a plan as its shard sends it, after its content was proven to be what was planned: the whole of it, or the
 * shard's own part if the file has the size and the time that the plan found.
 */
export async function openPart(
  { source, path, input }: { readonly source: Source; readonly path: string; readonly input: number },
  shard: Shard,
  drain: AbortSignal,
): Promise<SurveyedInput> {
  const { plan, directory } = shard;
  const file = plan.inputs[input]!;
  const planned = file.parts[shard.shard - 1]!;
  const places = placesOf(directory);
  const { from, to, line } = planned;
  const codes =
    planned.leftOut === undefined
      ? undefined
      : await readPart(places.leftOut(input, shard.shard), planned.leftOut, readFile);
  const at = shard.shard - 1;
  const part: InputPart = {
    from,
    to,
    line,
    isAlone: file.isAlone && plan.dealtBy === "slices",
    holdsKey: plan.dealtBy === "keys" ? (key) => shardOfKey(key, plan.shards) === at : undefined,
    whyLeftOut: (ordinal) => LEFT_OUT_CODES[codes?.[ordinal] ?? 0],
  };
  const surveyed = await readSettled(places.survey(input), file.survey, source, planned, part);
  const isSame = part.isAlone && (await hasSameTime(path, file));
  try {
    for await (const _ of openContent(source, surveyed.inspection, isSame ? part : undefined))
      if (drain.aborted) throw interruption();
  } catch (error) {
    throw error instanceof RecPushError && error.code === "source-changed"
      ? otherContent(path, file, shard)
      : error;
  }
  return surveyed;
}

async function hasSameTime(path: string, { bytes, mtimeMs }: PlannedFile): Promise<boolean> {
  const facts = await stat(path);
  return facts.size === bytes && facts.mtimeMs === mtimeMs;
}

function otherContent(path: string, { file }: PlannedFile, shard: Shard): RecPushError {
  return new RecPushError(
    "input",
    "source-changed",
    `${path} is not the file that the plan ${shard.plan.plan} was made of (${file}): its content has changed; nothing was sent`,
    {
      hint: `bring the file back as it was, then run the same command again\nor give the plan up: rec-push runs abandon --plan ${quoteWord(shard.directory)}`,
      place: { file },
    },
  );
}

/** Notes that a run of a shard begins: from now on its journal must be there. On disk when this resolves. */
export async function noteBegun({ directory, shard }: Shard, run: string): Promise<void> {
  const { begun } = placesOf(directory);
  await makePlace(begun);
  await replaceFile(`${begun}/${run}`, JSON.stringify({ run, shard, at: new Date().toISOString() }));
}

/** True if a run of a shard began. */
export async function hasBegun(directory: string, run: string): Promise<boolean> {
  const { begun } = placesOf(directory);
  return stat(`${begun}/${run}`).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** The error for a run whose journal is gone although it began. */
export function lostShard(shard: Shard, run: string): RecPushError {
  const place = placesOf(shard.directory).shard(shard.shard);
  return new RecPushError(
    "machine",
    "shard-lost",
    `the journal of the run ${run}, in which the shard ${shard.shard}/${shard.plan.shards} began, is lost from ${place}: it is not known which of its records were created, and nothing was sent`,
    {
      hint: `restore that directory from a backup, then run the same command again\nor give the plan up once its other shards are settled: rec-push runs abandon --plan ${quoteWord(shard.directory)}, then say which records without key of it the service holds`,
    },
  );
}

/** Makes a directory (0700) in a place that exists, durably; nothing if it is there. Throws what node:fs throws. */
export async function makePlace(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    await syncDirectory(dirname(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** Files of a plan that was cut off before it was in force. */
const OF_DRAFT = /^(?:survey-\d+|left-out-\d+-\d+|\.(?:survey|left-out|plan)[-.\w]*)$/;

/** Makes the directory of a new plan. Throws a usage error if it holds anything else than a plan that was cut off. */
export async function makePlanDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RecPushError("usage", "plan-directory", `the directory of the plan cannot be made: ${why}`, {
      hint: "name another with --out",
    });
  }
  const found = (await readdir(directory)).filter((name) => name !== "plan.draft" && !OF_DRAFT.test(name));
  if (found.length === 0) return;
  const isPlan = found.includes("plan");
  throw new RecPushError(
    "usage",
    "plan-directory",
    isPlan ? `${directory} holds a plan already` : `${directory} is not empty: it holds ${found[0]}`,
    {
      hint: isPlan
        ? "rec-push runs --plan DIR says what is left of it; name another directory with --out"
        : "name a directory that is new or empty with --out",
    },
  );
}
