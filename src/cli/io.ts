import type { Readable } from "node:stream";
import type { StopSignal } from "../model/exit-code.ts";
import type { Asker } from "./ask/asker.ts";
import type { OutputStream } from "../report/output-stream.ts";
import type { Reporter } from "../report/reporter.ts";

/** Everything that `main` takes from its process; tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  /** The name of standard input for messages, for a program; `<stdin>` unless said. */
  readonly inputName?: string | undefined;
  /** Takes the events in place of the screen: of a program that imports rec-push. */
  readonly program?: Reporter | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** The first directory that is searched for a config. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time of day. */
  readonly now: () => Date;
  /** Opens what asks a person; `undefined` where nobody is there to answer. */
  readonly openAsker?: (() => Promise<Asker>) | undefined;
  /** Calls back at every SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}
