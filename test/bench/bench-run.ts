import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BenchInput } from "./inputs.ts";
import { measure, type Usage } from "./measure.ts";
import { findMissing, type Peer } from "./peers.ts";
import { type Sink, type SinkReport, startSink } from "./sink-process.ts";

/** The settings that all scenarios of a bench run share. */
export interface BenchRun {
  readonly directory: string;
  readonly node: string;
  readonly rounds: number;
  readonly rows: number;
  readonly largeRows: number;
  /** The number of creates in the ledger that a push is compared with. */
  readonly ledgerRows: number;
  /** True if large inputs stay in the directory after use. */
  readonly isKept: boolean;
  /** Reports progress. */
  readonly tell: (text: string) => void;
}

/** One timed push. */
export interface PushResult {
  readonly usage: Usage;
  readonly report: SinkReport;
}

/** Pushes the input once; `base` is a directory with the state to begin with. */
export async function pushOnce(
  peer: Peer,
  input: BenchInput,
  sink: Sink,
  { directory, node }: Pick<BenchRun, "directory" | "node">,
  base?: string,
): Promise<PushResult> {
  const scratch = await mkdtemp(join(directory, "run-"));
  try {
    if (base !== undefined) await cp(base, scratch, { recursive: true });
    const usage = await measure(peer.command({ input, url: sink.url, node, scratch }));
    return { usage, report: await sink.report() };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What some pushes took. */
export function usagesOf(pushes: readonly PushResult[]): readonly Usage[] {
  return pushes.map(({ usage }) => usage);
}

/** The peers that this machine can run, and a note on each of the others. */
export function selectPeers(peers: readonly Peer[]): {
  readonly there: readonly Peer[];
  readonly notes: readonly string[];
} {
  const missing = new Map(peers.map((peer) => [peer, findMissing(peer)]));
  return {
    there: peers.filter((peer) => missing.get(peer)?.length === 0),
    notes: peers
      .filter((peer) => missing.get(peer)?.length !== 0)
      .map((peer) => `${peer.who} left out: no ${missing.get(peer)?.join(", no ")} on this machine`),
  };
}

/** Pushes once with each peer, untimed, and throws if one of them sent other records than the first. */
export async function verifyPeers(peers: readonly Peer[], input: BenchInput, run: BenchRun): Promise<void> {
  const sink = await startSink({ verify: true });
  try {
    let expected: string | undefined;
    for (const peer of peers) {
      const { report } = await pushOnce(peer, input, sink, run);
      const { digest = "" } = report;
      if (!digest.startsWith(`${input.rows}:`)) {
        throw new Error(`${peer.who} sent ${digest.split(":")[0]} records of ${input.rows}`);
      }
      expected ??= digest;
      if (digest !== expected) throw new Error(`${peer.who} sent other records than ${peers[0]?.who}`);
    }
  } finally {
    await sink.stop();
  }
}
