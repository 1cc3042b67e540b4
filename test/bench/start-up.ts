import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import type { BenchRun } from "./bench-run.ts";
import { pushOnce } from "./bench-run.ts";
import { provideInput } from "./inputs.ts";
import { type Command, measure, type Usage } from "./measure.ts";
import { recPush } from "./peers.ts";
import { builtFile, projectFile } from "./places.ts";
import { atMost, median, medianOfKnown, type ScenarioResult, times } from "./result.ts";
import { startSink } from "./sink-process.ts";

/** A run is so short that the few rounds alone would say little. */
const RUNS_A_ROUND = 5;

/** The cost of a process before it does anything. */
export async function runStartUp(run: BenchRun): Promise<ScenarioResult> {
  const { node, rounds } = run;
  const input = await provideInput(run.directory, "csv", 10);
  const sink = await startSink({});
  const bin = projectFile("bin/rec-push.js");
  const records = JSON.stringify(parse(await readFile(input.file), { columns: true }));
  const commands: Readonly<Record<string, Command>> = {
    "node -e 0": { file: node, args: ["-e", "0"] },
    "rec-push --help": { file: node, args: [bin, "--help"] },
    "rec-push check, 10 rows": {
      file: node,
      args: [bin, "check", input.file],
      cwd: run.directory,
      // In a directory of its own it finds nothing that other processes left, which it would look at.
      env: { TMPDIR: run.directory },
    },
    "smallest program that posts once with undici": {
      file: node,
      args: [builtFile("peers/post-once.js"), sink.url, records],
    },
  };
  const push = "rec-push, 10 rows, whole process";
  const usages = new Map<string, Usage[]>([...Object.keys(commands), push].map((who) => [who, []]));
  try {
    for (let turn = 1; turn <= rounds * RUNS_A_ROUND; turn += 1) {
      run.tell(`start-up, ${turn} of ${rounds * RUNS_A_ROUND}`);
      for (const [who, command] of Object.entries(commands)) usages.get(who)?.push(await measure(command));
      usages.get(push)?.push((await pushOnce(recPush(), input, sink, run)).usage);
    }
  } finally {
    await sink.stop();
  }
  const secondsOf = (who: string): number => median((usages.get(who) ?? []).map(({ seconds }) => seconds));
  const peers = [...usages].map(([who, of]) => ({
    who,
    seconds: secondsOf(who),
    ratio: secondsOf(who) / secondsOf("node -e 0"),
    cpuSeconds: medianOfKnown(of.map(({ cpuSeconds }) => cpuSeconds)),
  }));
  const target = (who: string, than: string, limit: number) => {
    const [one, other] = [who, than].map((name) => peers.find((peer) => peer.who === name));
    return atMost(`${who}: times the ${than}`, times(one?.seconds, other?.seconds), limit, {
      byCpu: times(one?.cpuSeconds, other?.cpuSeconds),
    });
  };
  return {
    name: "start",
    title: `Start-up, medians of ${rounds * RUNS_A_ROUND}; the ratio is to node -e 0`,
    peers,
    targets: [
      target(push, "smallest program that posts once with undici", 1),
      target("rec-push check, 10 rows", "node -e 0", 3),
      target("rec-push --help", "node -e 0", 1.3),
    ],
    notes: [],
  };
}
