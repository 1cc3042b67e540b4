import { resolve } from "node:path";
import { showCount } from "../../model/counts.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { quoteWord } from "../../model/text.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import type { InDoubt } from "../../options/runs.ts";
import { flagOf, type OptionName, OPTIONS, type OptionValues, useIn } from "../../options/table.ts";
import {
  nameShard,
  openPart,
  partsOf,
  refuseClosed,
  runsOf,
  type Shard,
  shardWords,
} from "../../shards/open-shard.ts";
import { placesOf, readPlan, type ShardPlan } from "../../shards/shard-plan.ts";
import { keptOf, loadRun, type StoredRun, whyNothingIsDecided } from "../../store/summarise-run.ts";
import {
  makeDirectory,
  openStateDirectory,
  orCannotUse,
  type StateDirectory,
} from "../../store/state-directory.ts";
import { isConfirmed } from "../ask/dialogue.ts";
import { withEnvironment } from "../header-files.ts";
import { bookTarget, checkQueryValues, keepingOf } from "../keeping.ts";
import type { CommandLine } from "../program.ts";
import { countDecided, planRequest, readDecision, runOfDecision } from "../resume-request.ts";
import type { Io } from "../run-settings.ts";
import { sendFiles } from "../sending.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that starts shards, and its variables. */
interface Engine {
  readonly name: string;
  /** The variable with the number of this process; it also shows that the engine started it. */
  readonly mark: string;
  /** The number of the first process. */
  readonly first: 0 | 1;
  /** How many there are; a pod of Kubernetes does not know it. */
  readonly count?: string;
}

const ENGINES: readonly Engine[] = [
  // Its tasks are numbered as the shards are: --array=1-64.
  { name: "Slurm", mark: "SLURM_ARRAY_TASK_ID", first: 1, count: "SLURM_ARRAY_TASK_MAX" },
  { name: "Kubernetes", mark: "JOB_COMPLETION_INDEX", first: 0 },
  { name: "GitLab", mark: "CI_NODE_INDEX", first: 1, count: "CI_NODE_TOTAL" },
  { name: "CircleCI", mark: "CIRCLE_NODE_INDEX", first: 0, count: "CIRCLE_NODE_TOTAL" },
];

/**
 * The shard that the environment names. Throws a usage error if no engine or more than one does, or if it says anything
 * that cannot be a shard of `shards`.
 */
export function shardOfEngine(env: Environment, shards: number): number {
  const found = ENGINES.filter(({ mark }) => (env[mark] ?? "") !== "");
  const [engine, other] = found;
  if (engine === undefined) {
    throw refused(
      "--shard auto: no engine says which shard this is",
      `${ENGINES.map(({ mark }) => mark).join(", ")} are not set: name the shard, such as --shard 3/${shards}`,
    );
  }
  if (other !== undefined) {
    throw refused(
      `--shard auto: ${found.map(({ name, mark }) => `${name} (${mark})`).join(" and ")} each say which shard this is`,
      `name the shard by the one that counts, such as --shard 3/${shards}`,
    );
  }
  const { name, mark, first, count } = engine;
  const shard = numberOf(env, mark, name) + 1 - first;
  const of = count === undefined ? undefined : numberOf(env, count, name);
  if (of !== undefined && of !== shards) {
    throw refused(
      `--shard auto: ${name} runs ${showCount(of, "process")}, and the plan has ${showCount(shards, "shard")}`,
      `let it run ${shards} (Slurm: --array=1-${shards}); to run some of the shards again, name each: --shard 3/${shards}`,
    );
  }
  if (shard >= 1 && shard <= shards) return shard;
  throw refused(
    `--shard auto: ${name} says shard ${shard} (${mark}=${env[mark]}), and the plan has ${showCount(shards, "shard")}`,
    `let it run ${showCount(shards, "process")}`,
  );
}

function numberOf(env: Environment, name: string, engine: string): number {
  const text = env[name] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(
    `--shard auto: ${engine} sets no number in ${name} (${JSON.stringify(text)})`,
    "name the shard, such as --shard 3/64",
  );
}

function refused(message: string, hint: string): RecPushError {
  return new RecPushError("other-shards", message, { hint });
}

/** `rec-push push --plan DIR --shard 3/64`: sends what the plan gave to this shard, or goes on where its last process ended. */
export async function pushShard({ files, options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  const shard = await openShardLine(options, values, io);
  refuseNamed(shard, files[0]);
  return sendShard(shard, options, [], await openShardState(shard), io);
}

/** `rec-push resume --plan DIR --shard 3/64 --in-doubt WHAT`: settles what the shard has in doubt, and goes on as a push of it does. */
export async function resumeShard({ files, options }: CommandLine, io: Io): Promise<number> {
  const { inDoubt, ...values } = readValues(options);
  const { inDoubt: _, ...texts } = options as Record<string, string>;
  const shard = await openShardLine(texts, values, io);
  refuseNamed(shard, files[0]);
  const state = await openShardState(shard);
  if (inDoubt === undefined) return sendShard(shard, texts, [], state, io);
  const stored = await findDecided(shard, state, inDoubt, io.cwd);
  const decision = await readDecision(inDoubt, keptOf(stored), io.cwd);
  const { run, account } = stored;
  const notices: string[] = [];
  if (account.doubt !== decision.doubt)
    notices.push(whyNothingIsDecided(run, keptOf(stored).end.kept, decision));
  if (decision.file !== undefined) {
    const text = countDecided(stored, decision.file.left);
    if (!(await isConfirmed(text, values, io))) return EXIT.ok;
    notices.push(text);
  }
  if (account.doubt !== decision.doubt) return sendShard(shard, texts, notices, state, io);
  return sendShard({ ...shard, decision: { ...decision, run } }, texts, notices, state, io);
}

/** Throws a usage error if a run or a file is named: a shard goes on with all of its runs, and its records are in the plan. */
function refuseNamed(shard: Shard, name: string | undefined): void {
  if (name === undefined) return;
  throw new RecPushError(
    "wrong-usage",
    `${name} is named, but a shard sends its own part of the plan, in all of its runs; nothing was sent`,
    { hint: `rec-push push ${shardWords(shard)} sends the rest of all of them` },
  );
}

/** The run of a shard that a decision is about. Throws a usage error if it is about none, and nothing is in doubt. */
async function findDecided(
  shard: Shard,
  state: StateDirectory,
  inDoubt: InDoubt,
  cwd: string,
): Promise<StoredRun> {
  const all: StoredRun[] = [];
  for (const run of runsOf(shard)) all.push(...([await loadRun(state, run)].filter(Boolean) as StoredRun[]));
  const named = await runOfDecision(inDoubt, cwd);
  const doubt = inDoubt.kind === "answer" ? inDoubt.doubt : undefined;
  const isMeant = ({ run, account }: StoredRun): boolean =>
    doubt === undefined ? run === named : account.doubt === doubt || account.decided[doubt] !== undefined;
  const found = all.find(isMeant) ?? all.find(({ account }) => account.doubt !== undefined);
  if (found !== undefined) return found;
  throw new RecPushError("nothing-in-doubt", `nothing is in doubt in ${nameShard(shard)}`, {
    hint: `rec-push runs --plan ${quoteWord(shard.directory)} says how its shards are`,
  });
}

/** The state of a shard: its runs and its lock, in the plan's directory. */
async function openShardState({ directory, shard }: Shard): Promise<StateDirectory> {
  const root = placesOf(directory).shard(shard);
  await orCannotUse(root, () => makeDirectory(resolve(root, "..")));
  return openStateDirectory(root);
}

async function sendShard(
  shard: Shard,
  line: OptionTexts,
  notices: string[],
  state: StateDirectory,
  io: Io,
): Promise<number> {
  const { plan } = shard;
  refuseOtherVersion(plan);
  const paths = await partsOf(shard);
  const { merged, values, request } = planRequest(plan, paths, await withEnvironment(line, io.env));
  const notice = (text: string): void => void notices.push(text);
  const target = await readTarget(values, plan.table, {
    line,
    env: io.env,
    from: `the plan ${plan.plan}`,
    notice,
  });
  checkQueryValues({ run: plan.plan, identity: plan.target }, target.queryHash);
  const facts = pickFacts(plan);
  const runKey = plan.target.runKey ?? undefined;
  const about = { state, facts, target: bookTarget(target, runKey), cwd: io.cwd };
  const ofPlan = { shard, again: plan.again, staleOk: true, resumed: runsOf(shard)[0] };
  const keeping = { ...keepingOf(values, about), ...ofPlan };
  const surveyed: typeof request.surveyed = async (source, at, drain) => {
    await refuseClosed(shard);
    return openPart(source, at, shard, drain);
  };
  const asTyped = given({ ...merged, table: plan.table, runKey });
  const sending = { values, request: { ...request, surveyed }, line: asTyped, merged, target };
  // Always an exit code, because nobody is asked.
  return (await sendFiles({ ...sending, notices, keeping }, io)) as number;
}

function pickFacts({ table, options, declared, headerNames, queryNames }: ShardPlan) {
  return { program: readVersion(), table, options, declared, headerNames, queryNames };
}

/** Another version may write another form of plan. */
function refuseOtherVersion({ plan, program }: ShardPlan): void {
  if (program === readVersion()) return;
  throw new RecPushError(
    "not-planned",
    `the plan ${plan} was made by rec-push ${program}, and this is ${readVersion()}; nothing was sent`,
    { hint: `run its shards with rec-push ${program}` },
  );
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
    throw new RecPushError(
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
    throw new RecPushError(
      "contradicting-options",
      isPlanned
        ? `${flag} is the plan's: it was settled when the plan was made`
        : `a shard of a plan takes no ${flag}`,
      {
        hint: isPlanned
          ? `leave it out, or make another plan with it: rec-push plan FILES ${flag} ...`
          : "leave it out",
      },
    );
  }
}
