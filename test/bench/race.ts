import { type BenchRun, pushOnce, type PushResult, selectPeers, usagesOf, verifyPeers } from "./bench-run.ts";
import { type InputFormat, provideInput } from "./inputs.ts";
import type { Peer } from "./peers.ts";
import {
  median,
  medianOfKnown,
  type PeerResult,
  type ScenarioResult,
  summarise,
  type TargetResult,
} from "./result.ts";
import { type Pin, type SinkSettings, startSink } from "./sink-process.ts";

/** Peers that push one input in alternation. */
export interface Race {
  readonly name: string;
  readonly title: string;
  readonly format: InputFormat;
  readonly rows: number;
  readonly sink: SinkSettings;
  /** Changes how the sink is started (default: not at all). */
  readonly pin?: Pin;
  /** The scripts among the peers; the ratios refer to the fastest of them. */
  readonly scripts: readonly Peer[];
  readonly peers: readonly Peer[];
  /** The peers whose records are compared before the race. */
  readonly verified: readonly Peer[];
  readonly targets: (of: (who: string) => PeerResult | undefined) => TargetResult[];
}

/** Runs the rounds: in each, every peer once, one after the other. */
export async function runRace(race: Race, run: BenchRun): Promise<ScenarioResult> {
  const { there, notes } = selectPeers(race.peers);
  const input = await provideInput(run.directory, race.format, race.rows);
  const verified = race.verified.filter((peer) => there.includes(peer));
  if (verified.length > 0) {
    run.tell("verifying that all send the same records");
    await verifyPeers(verified, input, run);
  }
  const results = new Map<Peer, PushResult[]>(there.map((peer) => [peer, []]));
  for (let round = 1; round <= run.rounds; round += 1) {
    for (const [peer, pushes] of results) {
      run.tell(`round ${round} of ${run.rounds}: ${peer.who}`);
      const sink = await startSink(race.sink, race.pin);
      try {
        pushes.push(await pushOnce(peer, input, sink, run));
      } finally {
        await sink.stop();
      }
    }
  }
  const bases = race.scripts.flatMap((script) => {
    const pushes = results.get(script) ?? [];
    return pushes.length === 0 ? [] : [median(pushes.map(({ usage }) => usage.seconds))];
  });
  const base = bases.length === 0 ? undefined : Math.min(...bases);
  const peers = [...results].map(([{ who }, pushes]) =>
    summarisePushes(who, pushes, base, race.sink.perSecond),
  );
  return {
    name: race.name,
    title: `${race.title}: ${race.rows.toLocaleString("en")} rows, ${Math.round(input.bytes / 1e6)} MB`,
    peers,
    targets: race.targets((who) => peers.find((peer) => peer.who === who)),
    notes:
      verified.length > 1
        ? [
            ...notes,
            `verified: ${verified.length} of them sent the same ${input.rows.toLocaleString("en")} records`,
          ]
        : notes,
  };
}

function summarisePushes(
  who: string,
  pushes: readonly PushResult[],
  baseSeconds: number | undefined,
  perSecond: number | undefined,
): PeerResult {
  const medians = summarise(who, usagesOf(pushes));
  return {
    ...medians,
    ...(baseSeconds === undefined ? {} : { ratio: baseSeconds / medians.seconds }),
    ...(perSecond === undefined
      ? {}
      : {
          limitUsed: medianOfKnown(pushes.map(({ report }) => shareOfLimit(report, perSecond))),
          refused: median(pushes.map(({ report }) => report.refused / report.requests)),
        }),
  };
}

/** The requests of the first second may come all at once, so neither they nor that second count. */
function shareOfLimit(
  { requests, refused, firstMs = 0, lastMs = 0 }: PushResult["report"],
  perSecond: number,
): number | undefined {
  if (requests - refused <= perSecond) return undefined;
  return (requests - refused - perSecond) / (((lastMs - firstMs) / 1000) * perSecond);
}
