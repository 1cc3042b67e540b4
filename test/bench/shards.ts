import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type BenchRun, pushOnce } from "./bench-run.ts";
import { type BenchInput, provideInput } from "./inputs.ts";
import { type Command, measure, type Usage } from "./measure.ts";
import { recPush } from "./peers.ts";
import { atMost, type ScenarioResult, summarise, times } from "./result.ts";
import { type Sink, startSink } from "./sink-process.ts";

const SHARDS = 4;
/** More than 1, because the records are written to parts and read again, and every shard starts a process. */
const MAX_CPU = 2.5;
const MAX_PEAK_MB = 220;

/** The cost of one plan, step by step. */
interface PlanUsage {
  readonly plan: Usage;
  /** All shards together. */
  readonly shards: Usage;
  readonly closing: Usage;
}

/** The same file pushed as a whole, and in shards that run at once on this machine. */
export async function runShards(run: BenchRun): Promise<ScenarioResult> {
  const input = await provideInput(run.directory, "csv", run.rows);
  const wholes: Usage[] = [];
  const plans: PlanUsage[] = [];
  for (let round = 1; round <= run.rounds; round += 1) {
    run.tell(`round ${round} of ${run.rounds}`);
    const sink = await startSink({});
    try {
      const { usage, report } = await pushOnce(recPush(), input, sink, run);
      wholes.push(usage);
      plans.push(await pushInShards(input, sink, run));
      const { bytes } = await sink.report();
      // Each shard begins its own batches, so that some bytes around the records differ.
      if (Math.abs(bytes - report.bytes) > report.bytes / 1000)
        throw new Error(`the shards sent ${bytes} bytes, one push ${report.bytes}`);
    } finally {
      await sink.stop();
    }
  }
  const whole = summarise("one push", wholes);
  const shards = summarise(
    `${SHARDS} shards at once`,
    plans.map((one) => one.shards),
  );
  const all = summarise(
    "plan, shards and closing",
    plans.map(({ plan, shards: sent, closing }) => addUp([plan, sent, closing])),
  );
  return {
    name: "shards",
    title: `CSV in ${SHARDS} shards beside one push, local sink: ${run.rows.toLocaleString("en")} rows`,
    peers: [
      whole,
      summarise(
        "plan",
        plans.map(({ plan }) => plan),
      ),
      shards,
      all,
    ],
    targets: [
      atMost(
        "plan, shards and closing: processor time of one push",
        times(all.cpuSeconds, whole.cpuSeconds),
        MAX_CPU,
      ),
      atMost("a shard: peak memory", shards.peakMb, MAX_PEAK_MB, { unit: "MB" }),
    ],
    notes: [
      `the shards share the cores of this machine: on ${SHARDS} machines each takes about a ${SHARDS}th of their processor time`,
    ],
  };
}

async function pushInShards(input: BenchInput, sink: Sink, run: BenchRun): Promise<PlanUsage> {
  const scratch = await mkdtemp(join(run.directory, "plan-"));
  try {
    const { file, args, ...about } = recPush().command({ input, url: sink.url, node: run.node, scratch });
    const out = join(scratch, "plan");
    const [bin = ""] = args;
    const command = (...words: readonly string[]): Command => ({ file, args: [bin, ...words], ...about });
    const plan = await measure(command("plan", ...args.slice(1), "--shards", String(SHARDS), "--out", out));
    const sent = await Promise.all(
      Array.from({ length: SHARDS }, (_, at) =>
        measure(command("push", "--plan", out, "--shard", `${at + 1}/${SHARDS}`)),
      ),
    );
    const closing = await measure(command("runs", "--plan", out));
    return { plan, shards: ofSlowest(sent), closing };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The usage of processes that began together: the last one to end has counted the processor time of all. */
function ofSlowest(usages: readonly Usage[]): Usage {
  const most = (values: readonly (number | undefined)[]): number | undefined => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
  return {
    seconds: Math.max(...usages.map(({ seconds }) => seconds)),
    cpuSeconds: most(usages.map(({ cpuSeconds }) => cpuSeconds)),
    peakMb: most(usages.map(({ peakMb }) => peakMb)),
  };
}

function addUp(usages: readonly Usage[]): Usage {
  const cpus = usages.map(({ cpuSeconds }) => cpuSeconds).filter((value) => value !== undefined);
  return {
    seconds: usages.reduce((sum, { seconds }) => sum + seconds, 0),
    cpuSeconds: cpus.length < usages.length ? undefined : cpus.reduce((sum, value) => sum + value, 0),
    peakMb: undefined,
  };
}
