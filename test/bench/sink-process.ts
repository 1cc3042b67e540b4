import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Command, ownEnvironment } from "./measure.ts";
import { builtFile } from "./places.ts";

/** How the service behaves that the peers push to. */
export interface SinkSettings {
  /** Milliseconds between the body and the answer. */
  readonly latencyMs?: number;
  /** Requests a second above which it answers 429. */
  readonly perSecond?: number;
  /** Tells of the limit in RateLimit headers; it counts whole seconds then. */
  readonly tellsLimit?: boolean;
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

/** Changes how a command is started, to keep it on one core say. */
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
