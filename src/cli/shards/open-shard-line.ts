import { resolve } from "node:path";
import { RecPushError } from "../../model/failure.ts";
import { showCount } from "../../model/quantities.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import {
  OPTIONS,
  flagOf,
  refusalIn,
  useIn,
  type OptionName,
  type OptionValues,
} from "../../options/table.ts";
import type { Shard } from "../../shards/open-shard.ts";
import { shardOfEngine } from "../../shards/shard-of-engine.ts";
import { readPlan } from "../../shards/shard-plan.ts";
import type { Io } from "../io.ts";

/** Options that a resume takes and a shard does not: where its rows go and what is sent is the plan's. */
const OF_RESUME: ReadonlySet<OptionName> = new Set([
  "rejects",
  "results",
  "staleOk",
  "stateDir",
  "idempotencyKey",
]);

/**
 * The shard that a command line names. Throws a usage error for options that the plan has settled, as for a shard that it does
 * not have.
 */
export async function openShardLine(
  line: OptionTexts,
  { plan: place, shard: asked }: OptionValues,
  io: Io,
): Promise<Shard> {
  if (place === undefined || asked === undefined)
    throw new RecPushError(
      "usage",
      "missing-argument",
      place === undefined
        ? "--shard is for --plan, which is not given"
        : "--plan needs --shard: which of its shards is pushed?",
      { hint: "rec-push push --plan DIR --shard 3/64, or --shard auto where an engine says which" },
    );
  refuseSettled(line);
  const directory = resolve(io.cwd, place);
  const plan = await readPlan(directory);
  if (asked === "auto") return { plan, directory, shard: shardOfEngine(io.env, plan.shards) };
  if (asked.of === plan.shards) return { plan, directory, shard: asked.shard };
  throw new RecPushError(
    "usage",
    "other-shards",
    `--shard ${asked.shard}/${asked.of}: the plan in ${directory} has ${showCount(plan.shards, "shard")}`,
    {
      hint:
        plan.shards === 1
          ? "name it: --shard 1/1"
          : `name a shard from 1/${plan.shards} to ${plan.shards}/${plan.shards}`,
    },
  );
}

/** A shard takes what a resume takes: its token, its patience and what it shows. */
function refuseSettled(line: OptionTexts): void {
  for (const name of Object.keys(line) as OptionName[]) {
    const declaration = OPTIONS[name];
    if (useIn("resume", declaration) !== undefined && !OF_RESUME.has(name)) continue;
    const flag = flagOf(name, declaration);
    const isPlanned = useIn("plan", declaration) !== undefined;
    const refusal = refusalIn("plan", declaration);
    throw new RecPushError(
      "usage",
      "contradicting-options",
      isPlanned
        ? `${flag} is the plan's: it was settled when the plan was made`
        : `a shard of a plan takes no ${flag}${refusal === undefined ? "" : `: ${refusal.why}`}`,
      {
        hint: isPlanned
          ? `leave it out, or make another plan with it: rec-push plan FILES ${flag} ...`
          : (refusal?.instead ?? "leave it out"),
      },
    );
  }
}
