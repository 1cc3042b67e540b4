import { spawn } from "node:child_process";
import { once } from "node:events";
import { builtFile } from "./places.ts";

/** How the service behaves that the peers push to. */
export interface SinkSettings {
  /** Milliseconds between the body and the answer. */
  readonly latencyMs?: number;
  /** Requests a second above which it answers 429. */
  readonly perSecond?: number;
  /** Reads the records, for the digest; slow, so never while it is timed. */
  readonly verify?: boolean;
}

/** What arrived since the last report; times on the sink's own clock. */
export interface SinkReport {
  readonly requests: number;
  readonly refused: number;
  readonly bytes: number;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly digest: string | undefined;
}

/** A sink in a process of its own. */
export interface Sink {
  readonly url: string;
  /** Reads the counters and sets them back. */
  report(): Promise<SinkReport>;
  stop(): Promise<void>;
}

/** Starts a sink and waits until it listens. The caller stops it. */
export async function startSink(settings: SinkSettings): Promise<Sink> {
  const child = spawn(process.execPath, [builtFile("sink.js"), JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = `http://127.0.0.1:${line.toString().trim()}`;
  return {
    url,
    report: async () => (await (await fetch(url)).json()) as SinkReport,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
