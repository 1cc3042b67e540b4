import { createHash } from "node:crypto";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { RunFacts, RunIdentity } from "../store/run-facts.ts";
import { replaceFile } from "../store/private-file.ts";
import { readOwnFile, syncDirectory } from "../store/state-directory.ts";

const PLAN_VERSION = 1;

/** The rows of a part by their fate, as the plan judged them. */
export interface PartCounts {
  readonly rows: number;
  readonly updates: number;
  /** Creates that are sent. */
  readonly creates: number;
  readonly invalid: number;
  /** Rows with nothing to send, and creates that are left out. */
  readonly skipped: number;
}

/** The part of one input that one shard sends. */
export interface PlannedPart extends PartCounts {
  /** The size of its file, and its hex SHA-256. */
  readonly bytes: number;
  readonly sum: string;
}

/** An input of a plan. */
export interface PlannedFile {
  /** As it was named. */
  readonly file: string;
  /** Hex SHA-256 of the decoded content. */
  readonly content: string;
  /** What the survey settled, in the form of Node's `v8`, as base64. */
  readonly survey: string;
  /** How many of its creates are in no part, because they were created before. */
  readonly leftOut: number;
  /** Its profile, which is kept once the plan is closed. */
  readonly profile?: object | undefined;
  /** By shard. */
  readonly parts: readonly PlannedPart[];
}

/** A push that is shared by several processes: everything that was settled before, for all of them. */
export interface ShardPlan extends Pick<RunFacts, "program" | "table" | "options" | "declared"> {
  readonly version: typeof PLAN_VERSION;
  /** Its name, in the form of a run's name. */
  readonly plan: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly headerNames: readonly string[];
  readonly queryNames: readonly string[];
  readonly shards: number;
  readonly target: Omit<RunIdentity, "content">;
  /** The state directory whose ledger was asked, and whose table is held. */
  readonly stateRoot: string;
  readonly again: boolean;
  readonly inputs: readonly PlannedFile[];
}

/** The places in a plan's directory. */
export const placesOf = (directory: string) => ({
  plan: join(directory, "plan"),
  draft: join(directory, "plan.draft"),
  cancelled: join(directory, "plan.cancelled"),
  part: (input: number, shard: number) => join(directory, `part-${input}-${shard}.rows`),
  begun: join(directory, "begun"),
  /** The state directory of a shard. */
  shard: (shard: number) => join(directory, "shards", String(shard)),
  closed: join(directory, "closed"),
});

/** The name of a run: that of the plan, with the numbers of shard and input in hex. */
export function runNameOf(plan: string, shard: number, input: number): string {
  const hex = (number: number): string => number.toString(16).padStart(4, "0");
  return `${plan}${hex(shard)}${hex(input)}`;
}

/** The name under which the table's book has the content that the run of a shard pushed. */
export function plannedOf(run: string): string {
  return runNameOf(run.slice(0, -8), 0, Number.parseInt(run.slice(-4), 16));
}

function sumOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes the plan, not yet in force: {@link enforcePlan} puts it there. Throws what node:fs throws. */
export async function draftPlan(directory: string, plan: ShardPlan): Promise<void> {
  const text = JSON.stringify(plan);
  await replaceFile(placesOf(directory).draft, `${sumOf(Buffer.from(text))} ${text}\n`);
}

/** Puts a drafted plan in force. Throws what node:fs throws, also if it was cancelled meanwhile. */
export async function enforcePlan(directory: string): Promise<void> {
  const { plan, draft } = placesOf(directory);
  await rename(draft, plan);
  await syncDirectory(directory);
}

/**
 * Cancels a plan that was cut off before it was in force: true if it is certain that no shard of it ever starts, also if its command was
 * only paused and wakes. Done again, it changes nothing. Throws what node:fs throws.
 */
export async function cancelDraft(directory: string, plan: string): Promise<boolean> {
  const { draft, cancelled } = placesOf(directory);
  if ((await findPlan(directory, "draft"))?.plan === plan) {
    await rename(draft, cancelled);
    await syncDirectory(directory);
  }
  const isCancelled = (await findPlan(directory, "cancelled"))?.plan === plan;
  return isCancelled && (await findPlan(directory)) === undefined;
}

/** Reads a plan; `undefined` if there is none. Throws a machine error if it is damaged or of another version. */
export async function findPlan(
  directory: string,
  as: "plan" | "draft" | "cancelled" = "plan",
): Promise<ShardPlan | undefined> {
  const path = placesOf(directory)[as];
  let text: string;
  try {
    text = (await readOwnFile(path)).toString();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw damagedPlan(path, cause instanceof Error ? cause.message : String(cause));
  }
  const at = text.indexOf(" ");
  const body = text.slice(at + 1, -1);
  if (!text.endsWith("\n") || text.slice(0, at) !== sumOf(Buffer.from(body)))
    throw damagedPlan(path, "it does not match its checksum");
  const plan = JSON.parse(body) as ShardPlan;
  if ((plan.version as number) !== PLAN_VERSION)
    throw damagedPlan(path, `it is of version ${plan.version}, which this rec-push does not know`);
  return plan;
}

/** Like {@link findPlan}; throws a usage error if there is no plan. */
export async function readPlan(directory: string): Promise<ShardPlan> {
  const plan = await findPlan(directory);
  if (plan !== undefined) return plan;
  const files: readonly string[] = await readdir(directory).catch(() => []);
  const isDraft = files.includes("plan.draft");
  throw new RecPushError(
    "no-plan",
    isDraft
      ? `the plan in ${directory} is not complete: rec-push plan was cut off while it made it`
      : `there is no plan in ${directory}`,
    {
      hint: isDraft
        ? "run that command again, where the plan was made"
        : "name the directory that rec-push plan --out made",
    },
  );
}

/** The failure for a file of a plan that has changed since the plan was made. */
export function damagedPlan(path: string, why: string): RecPushError {
  return new RecPushError("plan-damaged", `the plan cannot be used: ${path}: ${why}; nothing was sent`, {
    hint: "restore the plan's directory from a backup\nor give the plan up, and make another: rec-push runs abandon --plan DIR",
  });
}
