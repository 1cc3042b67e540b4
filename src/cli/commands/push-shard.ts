import { isAbsolute, resolve } from "node:path";
import { decisionOn } from "../../journal/decide-doubt.ts";
import type { DoubtDecision } from "../../journal/doubt-decision.ts";
import { openState } from "../../journal/open-state.ts";
import { loadRun } from "../../journal/run-store.ts";
import { RecPushError } from "../../model/failure.ts";
import { showCount } from "../../model/quantities.ts";
import { quoteWord } from "../../model/shell-word.ts";
import { given } from "../../options/given.ts";
import type { OptionTexts } from "../../model/option-texts.ts";
import { readValues } from "../../options/read-values.ts";
import type { OptionValues } from "../../options/table.ts";
import { planRequest } from "../resume/resume-request.ts";
import {
  nameShard,
  openPart,
  refuseClosed,
  runsOf,
  runWords,
  shardWords,
  type Shard,
} from "../../shards/open-shard.ts";
import { makePlace } from "../../shards/plan-directory.ts";
import { placesOf, type ShardPlan } from "../../shards/shard-plan.ts";
import { cannotUse, type StateDirectory } from "../../state/state-directory.ts";
import { splitCredentials } from "../credentials/credential-places.ts";
import { exportsOf } from "../exports-options.ts";
import { withAllHeaders } from "../header-files.ts";
import type { Io } from "../io.ts";
import { checkQueryValues } from "../kept-names.ts";
import type { CommandLine } from "../program.ts";
import { sendFiles } from "../sending.ts";
import { openShardLine } from "../shards/open-shard-line.ts";
import { shareLimits } from "../shards/share-limits.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

/** `rec-push push --plan DIR --shard 3/64`: sends what the plan gave to this shard, or goes on where its last process ended. */
export async function pushShard({ files, options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  const shard = await openShardLine(options, values, io);
  return sendShard(shard, files, options, {}, await openShardState(shard), io);
}

/** `rec-push resume --plan DIR --shard 3/64 --in-doubt WHAT`: settles what the shard has in doubt. */
export async function resumeShard({ files, options }: CommandLine, io: Io): Promise<number> {
  const { inDoubt, inDoubtFile, ...values } = readValues(options);
  const { inDoubt: _, inDoubtFile: __, ...texts } = options as Record<string, string>;
  const shard = await openShardLine(texts, values, io);
  const state = await openShardState(shard);
  const isDecided = inDoubt !== undefined || inDoubtFile !== undefined;
  const runs = chooseRuns(shard, files[0], isDecided);
  const decisions = new Map<string, DoubtDecision>();
  for (const run of inDoubt === undefined ? [] : runs) {
    const stored = await loadRun(state, run);
    if (stored !== undefined && stored.account.count("inDoubt") > 0)
      decisions.set(run, decisionOn(stored, inDoubt!));
  }
  if (inDoubt !== undefined) refuseUnclear(shard, [...decisions.keys()], inDoubt);
  return sendShard({ ...shard, decisions }, [], texts, given({ inDoubt, inDoubtFile }), state, io);
}

/** The run that a decision is about, or all runs of the shard. Throws a usage error if one is named and nothing is decided. */
function chooseRuns(shard: Shard, name: string | undefined, isDecided: boolean): readonly string[] {
  const runs = runsOf(shard);
  if (name === undefined) return runs;
  if (!runs.includes(name))
    throw new RecPushError("usage", "no-run", `${nameShard(shard)} has no run ${name}`, {
      hint: `its runs: ${runs.join(", ")}`,
    });
  if (isDecided) return [name];
  throw new RecPushError(
    "usage",
    "missing-argument",
    `the run ${name} is named, but there is no decision on what it has in doubt, and a shard goes on with all of its runs; nothing was sent`,
    {
      hint: `rec-push push ${shardWords(shard)} sends the rest of all of them\n--in-doubt applied, resend or absent decides on what the run has in doubt`,
    },
  );
}

/** Throws a usage error unless a decision is about one run: of the next file it may not be true. */
function refuseUnclear(shard: Shard, runs: readonly string[], inDoubt: string): void {
  if (runs.length === 1) return;
  if (runs.length === 0)
    throw new RecPushError("usage", "nothing-in-doubt", `nothing is in doubt in ${nameShard(shard)}`, {
      hint: `rec-push runs --plan ${quoteWord(shard.directory)} says how its shards are`,
    });
  throw new RecPushError(
    "usage",
    "contradicting-options",
    `${nameShard(shard)} has records of ${runs.length} files in doubt, and a decision is about one of them; nothing is decided`,
    {
      hint: runs.map((run) => `rec-push resume ${runWords(shard, run)} --in-doubt ${inDoubt}`).join("\n"),
    },
  );
}

/** The state of a shard: its runs and its lock, in the plan's directory. */
async function openShardState({ directory, shard }: Shard): Promise<StateDirectory> {
  const root = placesOf(directory).shard(shard);
  try {
    await makePlace(resolve(root, ".."));
  } catch (cause) {
    throw cannotUse(root, cause);
  }
  return openState(root);
}

async function sendShard(
  shard: Shard,
  files: readonly string[],
  line: OptionTexts,
  { inDoubt, inDoubtFile }: Pick<OptionValues, "inDoubt" | "inDoubtFile">,
  state: StateDirectory,
  io: Io,
): Promise<number> {
  const { plan } = shard;
  refuseOtherVersion(plan);
  const paths = pathsOf(shard, files, io);
  const notices: string[] = [];
  const { merged, values, request } = planRequest(plan, paths, await withAllHeaders(line, io.env));
  const onLine = { ...splitCredentials(values).others, ...splitCredentials(line).places };
  const target = await readTarget(onLine, plan.table, io.env, undefined, {
    ...splitCredentials(plan.options).places,
    from: `the plan ${plan.plan}`,
    notice: (text) => notices.push(text),
  });
  checkQueryValues({ run: plan.plan, identity: plan.target }, target.queryHash);
  const keeping = {
    state,
    shard,
    cwd: io.cwd,
    again: plan.again,
    staleOk: true,
    facts: pickFacts(plan),
    exports: exportsOf(values),
    runKey: plan.target.runKey ?? undefined,
    resumed: runsOf(shard)[0],
    leavesAbsent: inDoubt === "absent",
    doubtFile: inDoubtFile && resolve(io.cwd, inDoubtFile),
  };
  const surveyed: typeof request.surveyed = async (source, at, drain) => {
    await refuseClosed(shard);
    return openPart({ source, path: paths[at]!, input: at }, shard, drain);
  };
  const asTyped = given({ ...merged, table: plan.table, runKey: plan.target.runKey ?? undefined });
  const limited = shareLimits(values, plan.shards);
  const about = {
    values: limited,
    request: { ...request, surveyed },
    line: asTyped,
    merged,
    target,
    notices,
    keeping,
  };
  // It is an exit code, because nobody is asked.
  return (await sendFiles(about, io)) as number;
}

function pickFacts({ table, options, declared, headerNames, queryNames }: ShardPlan) {
  return { program: readVersion(), table, options, declared, headerNames, queryNames };
}

/** Another version may read a file in another way than the plan did. */
function refuseOtherVersion({ plan, program }: ShardPlan): void {
  if (program === readVersion()) return;
  throw new RecPushError(
    "usage",
    "not-planned",
    `the plan ${plan} was made by rec-push ${program}, and this is ${readVersion()}; nothing was sent`,
    { hint: `run its shards with rec-push ${program}` },
  );
}

/** The files of the plan, or where they are on this machine if the command says so. */
function pathsOf({ plan }: Shard, files: readonly string[], { cwd }: Io): readonly string[] {
  if (files.length === 0) return plan.inputs.map(({ path }) => path);
  if (files.length === plan.inputs.length && !files.includes("-"))
    return files.map((file) => (isAbsolute(file) ? file : resolve(cwd, file)));
  throw new RecPushError(
    "usage",
    "wrong-usage",
    `the plan is of ${showCount(plan.inputs.length, "file")}, and ${files.length} ${files.length === 1 ? "is" : "are"} named`,
    { hint: "name no file, or where each of them is on this machine, in the order of the plan" },
  );
}
