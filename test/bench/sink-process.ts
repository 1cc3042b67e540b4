import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Command, ownEnvironment } from "./measure.ts";
import { builtFile } from "./places.ts";

/** The behaviour of the service to which the peers push. */
export interface SinkSettings {
  /** Milliseconds between the body and the answer. */
  readonly latencyMs?: number;
  /** Requests per second; further ones are answered with 429. */
  readonly perSecond?: number;
  /** Announces the limit in RateLimit headers, and counts by whole seconds. */
  readonly tellsLimit?: boolean;
  /** Reads the records for the digest; slow, so never in a timed push. */
  readonly verify?: boolean;
}

/** Everything that arrived since the last report; times are those of the sink's clock. */
export interface SinkReport {
  readonly requests: number;
  readonly refused: number;
  readonly bytes: number;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly digest: string | undefined;
}

/** A sink in its own process. */
export interface Sink {
  readonly url: string;
  /** Reads and resets the counters. */
  report(): Promise<SinkReport>;
  stop(): Promise<void>;
}

/** Changes how a command is started, for example to keep it on one core. */
export type Pin = (command: Command) => Command;

const asIs: Pin = (command) => command;

/** Starts a sink and waits until it listens. The caller stops it. */
export async function startSink(settings: SinkSettings, pin: Pin = asIs): Promise<Sink> {
  const { file, args } = pin({
    file: process.execPath,
    args: [builtFile("sink.js"), JSON.stringify(settings)],
  });
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"], env: ownEnvironment() });
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
