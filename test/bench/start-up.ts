import type { BenchRun } from "./bench-run.ts";
import { pushOnce } from "./bench-run.ts";
import { provideInput } from "./inputs.ts";
import { measure } from "./measure.ts";
import { recPush } from "./peers.ts";
import { projectFile } from "./places.ts";
import { atMost, median, type ScenarioResult } from "./result.ts";
import { startSink } from "./sink-process.ts";

/** So short that a few rounds say little. */
const RUNS_A_ROUND = 5;

/** What a process costs before it does anything. */
export async function runStartUp(run: BenchRun): Promise<ScenarioResult> {
  const { node, rounds } = run;
  const input = await provideInput(run.directory, "csv", 10);
  const sink = await startSink({});
  const seconds: Record<"node" | "help" | "push", number[]> = { node: [], help: [], push: [] };
  try {
    run.tell("start-up");
    for (let turn = 0; turn < rounds * RUNS_A_ROUND; turn += 1) {
      seconds.node.push((await measure({ file: node, args: ["-e", "0"] })).seconds);
      const help = { file: node, args: [projectFile("bin/rec-push.js"), "--help"] };
      seconds.help.push((await measure(help)).seconds);
      seconds.push.push((await pushOnce(recPush(), input, sink, run)).usage.seconds);
    }
  } finally {
    await sink.stop();
  }
  const alone = median(seconds.node);
  const result = (who: string, values: readonly number[]) => ({
    who,
    seconds: median(values),
    ratio: median(values) / alone,
  });
  const help = result("rec-push --help", seconds.help);
  const push = result("rec-push, 10 rows, whole process", seconds.push);
  return {
    name: "start",
    title: `Start-up, medians of ${rounds * RUNS_A_ROUND}; the ratio is to node -e 0`,
    peers: [result("node -e 0", seconds.node), help, push],
    targets: [
      ...atMost("--help: 1.3 x node -e 0", help.ratio, 1.3),
      ...atMost("10 rows: 3 x node -e 0", push.ratio, 3),
    ],
    notes: ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"]
      .filter((name) => process.env[name] !== undefined)
      .map((name) => `${name} is set: every start of Node, also node -e 0, is longer by what it asks for`),
  };
}
