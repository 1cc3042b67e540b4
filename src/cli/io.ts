import type { Readable } from "node:stream";
import type { OutputStream } from "../report/output-stream.ts";

/** Everything `main` takes from its process, so that tests can run it in theirs. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Where the config is looked for first. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls back at every SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}

/** The signals that end a run in order. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";
