import { resolve } from "node:path";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { quoteWord } from "../../model/text.ts";
import { readValues } from "../../options/read-values.ts";
import type { InDoubt } from "../../options/runs.ts";
import { flagOf, type OptionName, OPTIONS, type OptionValues, useIn } from "../../options/table.ts";
import {
  lostShard,
  nameShard,
  openPart,
  partsOf,
  refuseClosed,
  runsOf,
  type Shard,
  shardWords,
} from "../../shards/open-shard.ts";
import { placesOf, readPlan } from "../../shards/shard-plan.ts";
import { keptOf, readRun, type StoredRun, whyNothingIsDecided } from "../../store/summarise-run.ts";
import {
  makeDirectory,
  openStateDirectory,
  orCannotUse,
  type StateDirectory,
} from "../../store/state-directory.ts";
import { confirmDecision, readDecision, runOfDecision } from "../decision.ts";
import type { CommandLine } from "../command-line.ts";
import type { Io } from "../run-settings.ts";
import { sendAgain } from "../send-again.ts";
import { readVersion } from "../version.ts";

/** The variables in which engines number the processes that they start, and the number of the first. */
const ENGINES = {
  // Slurm; its tasks are numbered as the shards are: --array=1-64.
  SLURM_ARRAY_TASK_ID: 1,
  // Kubernetes
  JOB_COMPLETION_INDEX: 0,
  // GitLab
  CI_NODE_INDEX: 1,
  // CircleCI
  CIRCLE_NODE_INDEX: 0,
};

/** The shard that the environment names. Throws a usage error unless exactly one engine names one of `shards`. */
export function shardOfEngine(env: Io["env"], shards: number): number {
  const found = Object.entries(ENGINES).filter(([name]) => (env[name] ?? "") !== "");
  const [[name, first] = ["", 0]] = found;
  const text = env[name] ?? "";
  const shard = Number(text) + 1 - first;
  if (found.length === 1 && /^\d{1,9}$/.test(text) && shard >= 1 && shard <= shards) return shard;
  const said = found.map(([variable]) => `${variable}=${env[variable]}`).join(", ");
  throw new RecPushError(
    "other-shards",
    `--shard auto: ${said || `${Object.keys(ENGINES).join(", ")} are not set, which`} names no shard of ${shards}`,
    { hint: `name the shard, such as --shard 3/${shards}` },
  );
}

/**
 * `rec-push push --plan DIR --shard 3/64`: sends what the plan gave to this shard, or goes on where its last process ended.
 * `rec-push resume --plan DIR --shard 3/64 --in-doubt WHAT` settles first what it has in doubt.
 */
export async function pushShard({ files: [named], options }: CommandLine, io: Io): Promise<number> {
  const { inDoubt: text, ...line } = options as Record<string, string>;
  const values = readValues(options);
  const shard = await openShardLine(line, values, io);
  if (named !== undefined)
    throw new RecPushError(
      "wrong-usage",
      `${named} is named, but a shard sends its own part of the plan, in all of its runs; nothing was sent`,
      { hint: `rec-push push ${shardWords(shard)} sends the rest of all of them` },
    );
  // Its runs and its lock are in the plan's directory.
  const root = placesOf(shard.directory).shard(shard.shard);
  await orCannotUse(root, () => makeDirectory(resolve(root, "..")));
  const state = await openStateDirectory(root);
  const { inDoubt } = values;
  if (text === undefined || inDoubt === undefined) return sendShard(shard, line, [], state, io);
  const stored = await findDecided(shard, state, inDoubt, io.cwd);
  const kept = keptOf(stored);
  const decision = await readDecision(inDoubt, kept, io.cwd);
  const notices = await confirmDecision(decision, kept, values, io);
  if (notices === undefined) return EXIT.ok;
  const { run, account } = stored;
  if (account.doubt === decision.doubt)
    return sendShard({ ...shard, decision: { ...decision, run } }, line, notices, state, io);
  notices.push(whyNothingIsDecided(run, kept.end.kept, decision));
  return sendShard(shard, line, notices, state, io);
}

/** The run of a shard that a decision is about. Throws a usage error if it is about none, and nothing is in doubt. */
async function findDecided(
  shard: Shard,
  state: StateDirectory,
  inDoubt: InDoubt,
  cwd: string,
): Promise<StoredRun> {
  const all: StoredRun[] = [];
  for (const run of runsOf(shard)) {
    const { stored, loss } = await readRun(state, run);
    if (loss !== undefined) throw lostShard(shard, loss.message);
    if (stored !== undefined) all.push(stored);
  }
  const named = await runOfDecision(inDoubt, cwd);
  const doubt = inDoubt.kind === "answer" ? inDoubt.doubt : undefined;
  const isMeant = ({ run, account }: StoredRun): boolean =>
    doubt === undefined ? run === named : account.doubt === doubt || account.decided[doubt] !== undefined;
  const found = all.find(isMeant) ?? all.find(({ account }) => account.doubt !== undefined);
  if (found !== undefined) return found;
  throw new RecPushError("not-open", `nothing is in doubt in ${nameShard(shard)}`, {
    hint: `rec-push runs --plan ${quoteWord(shard.directory)} says how its shards are`,
  });
}

async function sendShard(
  shard: Shard,
  line: OptionTexts,
  notices: string[],
  state: StateDirectory,
  io: Io,
): Promise<number> {
  const { plan } = shard;
  const { program, table, options, declared, headerNames, queryNames } = plan;
  // Another version may write another form of plan.
  if (program !== readVersion())
    throw new RecPushError(
      "not-planned",
      `the plan ${plan.plan} was made by rec-push ${program}, and this is ${readVersion()}; nothing was sent`,
      { hint: `run its shards with rec-push ${program}` },
    );
  const paths = await partsOf(shard);
  const nameOf = (path: string): string | undefined => plan.inputs[paths.indexOf(path)]?.file;
  const again = { ...plan, called: `the plan ${plan.plan}`, identity: plan.target, paths, nameOf };
  const facts = { program, table, options, declared, headerNames, queryNames };
  const keeping = { state, facts, shard, again: plan.again, staleOk: true, resumed: runsOf(shard)[0] };
  const request: Parameters<typeof sendAgain>[2]["request"] = {
    // These were judged when the plan was made.
    expected: undefined,
    async surveyed(source, at, drain) {
      await refuseClosed(shard);
      return openPart(source, at, shard, drain);
    },
  };
  return sendAgain(again, line, { notices, request, keeping }, io);
}

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
async function openShardLine(
  line: OptionTexts,
  { plan: place, shard: asked }: OptionValues,
  io: Io,
): Promise<Shard> {
  if (place === undefined || asked === undefined)
    throw new RecPushError("wrong-usage", "--plan and --shard go together: one of them is missing", {
      hint: "rec-push push --plan DIR --shard 3/64, or --shard auto where an engine says which",
    });
  // A shard takes what a resume takes: its token, its patience and what it shows.
  for (const name of Object.keys(line) as OptionName[])
    if (useIn("resume", OPTIONS[name]) === undefined || OF_RESUME.has(name))
      throw new RecPushError(
        "contradicting-options",
        `a shard takes no ${flagOf(name, OPTIONS[name])}: what is sent, and how, was settled when the plan was made`,
        { hint: "leave it out, or make another plan with it" },
      );
  const directory = resolve(io.cwd, place);
  const plan = await readPlan(directory);
  const { shards } = plan;
  if (asked === "auto") return { plan, directory, shard: shardOfEngine(io.env, shards) };
  if (asked.of === shards) return { plan, directory, shard: asked.shard };
  throw new RecPushError(
    "other-shards",
    `--shard ${asked.shard}/${asked.of}: the shards of the plan in ${directory} are 1/${shards} to ${shards}/${shards}`,
    { hint: "name one of these" },
  );
}
