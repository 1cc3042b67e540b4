import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BENCH_HELP, parseBenchOptions } from "./bench-options.ts";
import type { BenchRun } from "./bench-run.ts";
import { runExtras } from "./extras.ts";
import { runLedger } from "./ledger.ts";
import { describeLoad, describeMachine } from "./machine.ts";
import { runMemory } from "./memory.ts";
import { runNested } from "./nested.ts";
import { runRace } from "./race.ts";
import { csvRace, jsonRace, latencyRace, limitRace, oneCoreRace, semicolonRace, xlsxRace } from "./races.ts";
import type { ScenarioResult } from "./result.ts";
import { runShards } from "./shards.ts";
import { runStartUp } from "./start-up.ts";
import { runWords } from "./words.ts";
import { describeSize, showScenario, showTargets } from "./table.ts";

const scenarios: Readonly<Record<string, (run: BenchRun) => Promise<ScenarioResult>>> = {
  csv: (run) => runRace(csvRace(run), run),
  semicolon: (run) => runRace(semicolonRace(run), run),
  json: (run) => runRace(jsonRace("json", run), run),
  ndjson: (run) => runRace(jsonRace("ndjson", run), run),
  xlsx: (run) => runRace(xlsxRace(run), run),
  "one-core": (run) => runRace(oneCoreRace(run), run),
  extras: runExtras,
  words: runWords,
  nested: runNested,
  latency: (run) => runRace(latencyRace(run), run),
  limit: (run) => runRace(limitRace("untold"), { ...run, rounds: 1 }),
  "told-limit": (run) => runRace(limitRace("told"), { ...run, rounds: 1 }),
  memory: runMemory,
  ledger: runLedger,
  shards: runShards,
  start: runStartUp,
};

async function main(): Promise<void> {
  const { only, keep, isJson, isHelp, isTargets, ...options } = parseBenchOptions(process.argv.slice(2));
  const names = Object.keys(scenarios);
  if (isHelp) {
    process.stdout.write(`${BENCH_HELP}  ${names.join(", ")}\n`);
    return;
  }
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: the scenarios are ${names.join(", ")}`);
  const machine = describeMachine(options.node);
  const directory = keep === undefined ? await mkdtemp(join(tmpdir(), "rec-push-bench-")) : resolve(keep);
  await mkdir(directory, { recursive: true });
  const show = (text: string): void => void (isJson || process.stdout.write(text));
  show(
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}; ` +
      `medians of ${options.rounds} rounds, ratio: times as fast as the straightforward script\n\n`,
  );
  const results: ScenarioResult[] = [];
  try {
    for (const [name, runScenario] of Object.entries(scenarios)) {
      if (only.length > 0 && !only.includes(name)) continue;
      const tell = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
      const result = await runScenario({ ...options, directory, isKept: keep !== undefined, tell });
      results.push(result);
      if (!isTargets) show(`${showScenario(result)}\n`);
    }
    show(
      `${showTargets(results.flatMap(({ targets }) => targets))}\n${describeSize(options.rows)}${describeLoad(machine)}`,
    );
  } finally {
    if (keep === undefined) await rm(directory, { recursive: true, force: true });
  }
  if (isJson) process.stdout.write(`${JSON.stringify({ machine, ...options, scenarios: results })}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
