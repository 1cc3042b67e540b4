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
  /** The first directory in which a config is looked for. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current time. */
  readonly now: () => Date;
  /** Opens what asks the user; `undefined` if nobody is there to answer. */
  readonly openAsker?: (() => Promise<Asker>) | undefined;
  /** Calls `listener` at every SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}
