import { cp, mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure, type Sink, startSink, type Usage } from "./measure.ts";
import { median, type Result, showResults } from "./result.ts";
import { type Bench, type Scenario, SCENARIOS, type Way } from "./scenarios.ts";
import type { SinkReport, SinkSettings } from "./sink.ts";

const HELP = `npm run bench -- [options]

  --only NAME   only this scenario; may be repeated
  --rounds N    rounds of each scenario (default: 5)
  --rows N      rows of the usual input (default: 1000000; with fewer, start-up weighs more)

scenarios: ${Object.keys(SCENARIOS).join(", ")}
`;

/** One timed push. */
interface Push {
  readonly usage: Usage;
  readonly report: SinkReport;
}

async function pushOnce({ command, base }: Way, sink: Sink, { directory }: Bench): Promise<Push> {
  const scratch = await mkdtemp(join(directory, "run-"));
  try {
    if (base !== undefined) await cp(base, scratch, { recursive: true });
    return {
      usage: await measure(command({ url: sink.url, scratch })),
      report: await sink.report(),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Pushes once each way, untimed, and throws if one of them sent other records than the first. */
async function verify(ways: readonly Way[], bench: Bench): Promise<void> {
  const sink = await startSink({ verify: true });
  try {
    let expected: string | undefined;
    for (const way of ways) {
      const { digest = "" } = (await pushOnce(way, sink, bench)).report;
      if (!digest.startsWith(`${way.records}:`))
        throw new Error(`${way.who} sent ${digest.split(":")[0]} records, not ${way.records}`);
      expected ??= digest;
      if (way.records === ways[0]!.records && digest !== expected)
        throw new Error(`${way.who} sent other records than ${ways[0]!.who}`);
    }
  } finally {
    await sink.stop();
  }
}

/** Runs the rounds: in each, every way once, one after the other. */
async function run(scenario: Scenario, bench: Bench): Promise<readonly Result[]> {
  const { sink: settings = {}, isVerified = false, times = (rounds) => rounds } = scenario;
  const sink = await startSink(settings);
  try {
    const ways = await scenario.ways(bench, sink.url);
    if (isVerified) await verify(ways, bench);
    const pushes = new Map<Way, Push[]>(ways.map((way) => [way, []]));
    for (let round = 1; round <= times(bench.rounds); round += 1)
      for (const [way, done] of pushes) {
        bench.tell(`round ${round} of ${times(bench.rounds)}: ${way.who}`);
        done.push(await pushOnce(way, sink, bench));
      }
    return [...pushes].map(([{ who }, done]) => summarise(who, done, settings));
  } finally {
    await sink.stop();
  }
}

function summarise(who: string, pushes: readonly Push[], { perSecond }: SinkSettings): Result {
  const of = (name: keyof Usage): number | undefined => median(pushes.map(({ usage }) => usage[name]));
  return {
    who,
    seconds: of("seconds")!,
    cpuSeconds: of("cpuSeconds"),
    peakMb: of("peakMb"),
    limitUsed: perSecond && median(pushes.map(({ report }) => shareOfLimit(report, perSecond))),
    refused: perSecond && median(pushes.map(({ report }) => report.refused / report.requests)),
  };
}

/** The requests of the first second may come all at once, so neither they nor that second count. */
function shareOfLimit(report: SinkReport, perSecond: number): number | undefined {
  const { requests, refused, firstMs = 0, lastMs = 0 } = report;
  if (requests - refused <= perSecond) return undefined;
  return (requests - refused - perSecond) / (((lastMs - firstMs) / 1000) * perSecond);
}

function describeMachine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = `load ${(loadavg()[1] ?? 0).toFixed(1)}: above the number of cores, compare the CPU time`;
  return `${cores.length} cores (${cores[0]?.model ?? "unknown"}), ${memory} GB, ${type()}, Node ${process.version}; ${load}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: Object.keys(SCENARIOS) },
      rounds: { type: "string", default: "5" },
      rows: { type: "string", default: "1000000" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { only } = values;
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  if (values.help) return say(HELP);
  const [rounds, rows] = [Number(values.rounds), Number(values.rows)];
  if (!(rounds > 0 && rows > 0)) throw new Error("--rounds and --rows take whole numbers above 0");
  const unknown = only.find((name) => SCENARIOS[name] === undefined);
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is no such scenario`);
  say(`${describeMachine()}\nmedians of ${rounds} rounds of ${rows.toLocaleString("en")} rows\n`);
  const directory = await mkdtemp(join(tmpdir(), "rec-push-bench-"));
  try {
    for (const name of only) {
      const scenario = SCENARIOS[name]!;
      const tell = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
      const results = await run(scenario, { directory, rounds, rows, tell });
      say(`${name}: ${scenario.title}\n\n${showResults(results)}\n`);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
