import { type BenchRun, pushOnce, type PushResult, usagesOf } from "./bench-run.ts";
import type { BenchInput } from "./inputs.ts";
import type { Peer } from "./peers.ts";
import { atMost, type PeerResult, type ScenarioResult, summarise, times } from "./result.ts";
import { startSink } from "./sink-process.ts";

/** One push among those that are compared. */
export interface Way {
  readonly who: string;
  readonly peer: Peer;
  readonly input: BenchInput;
}

/** A way, and how many times as long as the first one it may take. */
export type OtherWay = Way & { readonly maxRatio: number };

/** What the pushes of each way did, in the order of the rounds. */
export type WayPushes = ReadonlyMap<Way, readonly PushResult[]>;

/** Compares pushes of other inputs, or with other options, with a first one, in turn. */
export async function runWays(
  run: BenchRun,
  about: Pick<ScenarioResult, "name" | "title">,
  first: Way,
  others: readonly OtherWay[],
): Promise<{ readonly result: ScenarioResult; readonly pushes: WayPushes }> {
  const pushes = new Map<Way, PushResult[]>([first, ...others].map((way) => [way, []]));
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const [{ who, peer, input }, done] of pushes) {
      run.tell(`round ${round} of ${run.rounds}: ${who}`);
      const sink = await startSink({});
      try {
        done.push(await pushOnce(peer, input, sink, run));
      } finally {
        await sink.stop();
      }
    }
  }
  const summary = (way: Way): PeerResult => summarise(way.who, usagesOf(pushes.get(way)!));
  const base = summary(first);
  const targets = others.map((way) => {
    const { who, seconds, cpuSeconds } = summary(way);
    return atMost(`${who}: time of the ${first.who}`, times(seconds, base.seconds), way.maxRatio, {
      byCpu: times(cpuSeconds, base.cpuSeconds),
    });
  });
  const result = { ...about, peers: [base, ...others.map(summary)], targets, notes: [] };
  return { result, pushes };
}
