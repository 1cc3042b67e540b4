import { badOptionValue } from "../model/bad-option-value.ts";
import { asGiven, flag, ONCE, refused, text } from "./answers.ts";
import { option } from "./declaration.ts";

/** A shard of a plan, counted from 1; `auto`: the engine that started the process says which. */
export type ShardNumber = { readonly shard: number; readonly of: number } | "auto";

const MOST_SHARDS = 10_000;

/** The group "Shards": a push that several machines share. */
export const SHARD_OPTIONS = {
  shards: option({
    ...ONCE,
    form: text("<number>", parseShards),
    help: "how many processes share the push",
    commands: { plan: true },
  }),
  out: option({
    ...ONCE,
    form: text("<dir>", asGiven<string>),
    help: "the directory of the plan, which all of its machines share; it is made, or must be empty",
    commands: { plan: true },
  }),
  plan: option({
    ...ONCE,
    form: text("<dir>", asGiven<string>),
    help: "push a shard of the plan in this directory",
    commands: {
      push: true,
      plan: refused("that is the directory of a plan that is made", "--out DIR names where this one goes"),
      resume: "decide on what a shard of the plan in this directory has in doubt",
      runs: "add up the shards of the plan in this directory, and close it once all are settled",
    },
  }),
  shard: option({
    ...ONCE,
    form: text("<number>", parseShard),
    help: "which shard: 3/64, or auto: the one that Slurm, Kubernetes, GitLab or CircleCI says",
    commands: {
      push: true,
      plan: refused("a plan is of all shards", "--shards N is their number"),
      resume: "the shard: 3/64",
    },
  }),
  abandonPlan: option({
    ...ONCE,
    form: flag(),
    help: "give up the plan of --plan: what its shards have not sent stays unsent, and its table is free",
    commands: { runs: true },
  }),
};

function parseShards(given: string, option: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= MOST_SHARDS) return Number(given);
  throw badOptionValue(option, given, `a whole number from 1 to ${MOST_SHARDS}`);
}

function parseShard(given: string, option: string): ShardNumber {
  if (given === "auto") return given;
  const [, shard, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(given) ?? [];
  if (Number(shard) >= 1 && Number(shard) <= Number(of)) return { shard: Number(shard), of: Number(of) };
  throw badOptionValue(option, given, "auto, or the number of a shard and of all of them, such as 3/64");
}
