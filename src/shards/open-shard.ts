import { mkdir, readdir, stat } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import { buildPlan } from "../fields/record/field-plan.ts";
import { interruption, RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import { createProofWriter, prove } from "../read/source/block-proof.ts";
import type { Source } from "../read/source/source.ts";
import type { RunFacts } from "../store/run-facts.ts";
import type { DoubtDecision } from "../store/summarise-run.ts";
import { replaceFile } from "../store/private-file.ts";
import { makeDirectory, readOwnFile } from "../store/state-directory.ts";
import type { SurveyedInput } from "../survey/survey-input.ts";
import { readRecords, readPartRows } from "./part-file.ts";
import { damagedPlan, placesOf, runNameOf, type ShardPlan } from "./shard-plan.ts";

/** A shard of a plan, counted from 1, in the process that pushes it. */
export interface Shard {
  readonly plan: ShardPlan;
  /** The plan's directory. */
  readonly directory: string;
  readonly shard: number;
  /** The user's decision on what one of its runs has in doubt. */
  readonly decision?: (DoubtDecision & { readonly run: string }) | undefined;
}

/** A shard in messages. */
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
    return JSON.parse((await readOwnFile(placesOf(directory).closed)).toString()).how;
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
  throw new RecPushError("plan-closed", `the plan ${plan.plan} in ${directory} ${what}; nothing was sent`, {
    hint: "what it sent is in the ledger: pushing its files now leaves that out",
  });
}

/** The parts of a shard, one for each input. Throws a machine error if one is lost, or of another size than the plan wrote. */
export async function partsOf({ plan, directory, shard }: Shard): Promise<readonly string[]> {
  const paths = plan.inputs.map((_, input) => placesOf(directory).part(input, shard));
  for (const [input, path] of paths.entries()) {
    const size = await stat(path).then(
      (facts) => facts.size,
      (cause: unknown) => Promise.reject(damagedPlan(path, (cause as Error).message)),
    );
    if (size !== plan.inputs[input]!.parts[shard - 1]!.bytes) throw notAsPlanned(path);
  }
  return paths;
}

/** What the survey of an input settled, for the shards. Node keeps the form readable for later versions. */
export function keepSurvey({ inspection, plan, report }: SurveyedInput): string {
  // The plan has reported all of these, and a part has a proof of its own.
  const told = { ...report, problems: [], groups: [], notices: [], pins: [] };
  const settled: Settled = {
    inspection: { ...inspection, proof: createProofWriter().finish() },
    parts: plan.parts,
    report: told,
  };
  return serialize(settled).toString("base64");
}

/** The findings of a survey as plain data. */
interface Settled extends Pick<SurveyedInput, "inspection" | "report"> {
  readonly parts: SurveyedInput["plan"]["parts"];
}

/** The part of an input that a shard sends, opened as a source once its bytes were proven. */
export async function openPart(
  source: Source,
  input: number,
  { plan, directory, shard }: Shard,
  drain: AbortSignal,
): Promise<SurveyedInput> {
  const { survey, parts } = plan.inputs[input]!;
  const { bytes: _, sum, ...planned } = parts[shard - 1]!;
  const path = placesOf(directory).part(input, shard);
  const proving = createProofWriter();
  for await (const piece of source.open()) {
    if (drain.aborted) throw interruption();
    proving.add(piece);
  }
  const proof = proving.finish();
  if (proof.fingerprint !== sum) throw notAsPlanned(path);
  const settled = deserialize(Buffer.from(survey, "base64")) as Settled;
  const proven = (): AsyncIterable<Buffer> => prove(source.open(), proof, path);
  return {
    source,
    inspection: { ...settled.inspection, proof },
    plan: buildPlan(settled.parts),
    report: { ...settled.report, counts: { ...settled.report.counts, ...planned, superseded: 0 } },
    part: {
      records: () => readRecords(proven()),
      rows: () => readPartRows(proven()),
    },
  };
}

function notAsPlanned(path: string): RecPushError {
  return damagedPlan(path, "it is not as the plan wrote it");
}

/** Notes that a run of a shard begins: from now on its book must be there. On disk when this resolves. */
export async function noteBegun({ directory, shard }: Shard, run: string): Promise<void> {
  const { begun } = placesOf(directory);
  await makeDirectory(begun);
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

/** The error for a shard whose journal is lost or damaged, as `why` says. */
export function lostShard(shard: Shard, why: string): RecPushError {
  return new RecPushError("shard-lost", `${nameShard(shard)} cannot go on, and nothing was sent: ${why}`, {
    hint: `restore it from a backup, then run the same command again\nor give the plan up once its other shards are settled: rec-push runs abandon --plan ${quoteWord(shard.directory)}, then say which records without key of it the service holds`,
  });
}

/** Files of a plan that was cut off before it was in force. */
const OF_DRAFT = /^(?:part-\d+-\d+\.rows|plan\.draft|plan\.cancelled|\.plan[-.\w]*)$/;

/** Makes the directory of a new plan. Throws a usage error if it holds anything else than a plan that was cut off. */
export async function makePlanDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RecPushError("plan-directory", `the directory of the plan cannot be made: ${why}`, {
      hint: "name another with --out",
    });
  }
  const found = (await readdir(directory)).filter((name) => !OF_DRAFT.test(name));
  if (found.length === 0) return;
  const isPlan = found.includes("plan");
  throw new RecPushError(
    "plan-directory",
    isPlan ? `${directory} holds a plan already` : `${directory} is not empty: it holds ${found[0]}`,
    {
      hint: isPlan
        ? "rec-push runs --plan DIR says what is left of it; name another directory with --out"
        : "name a directory that is new or empty with --out",
    },
  );
}
