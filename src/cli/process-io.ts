import type { Asker } from "./ask/asker.ts";
import type { Io } from "./io.ts";
import { stopSignals } from "./stop-signals.ts";
import { openWholeFile } from "./whole-file.ts";

const STOP_SIGNALS = stopSignals(process.platform);

/** The exit code after a fault of this machine. */
const MACHINE_FAULT = 1;

/** Why standard output, if it is a file, is not complete. */
let lost: Error | undefined;

function ignore(): void {}

/** A signal that comes after the command has ended must not change its exit code; a second one ends the process. */
export function ignoreStopSignals(): void {
  for (const { heard } of STOP_SIGNALS) process.once(heard, ignore);
}

/**
 * The exit code of a command whose work ended with `code`. A file that could not be written whole as standard output is
 * told of, and never stops a push.
 */
export function endOutput(code: number): number {
  // The command itself may have told of it.
  if (lost === undefined || code === MACHINE_FAULT) return code;
  process.stderr.write(
    `error: standard output is not complete: ${lost.message}\n  the command itself went on to its end; rec-push runs shows how a push ended\n`,
  );
  return code === 0 ? MACHINE_FAULT : code;
}

/** True if a person can read what is written, and answer. */
function isTerminal(): boolean {
  const { stdout, stderr, env } = process;
  const isScreen = stdout.isTTY && stderr.isTTY;
  return isScreen && process.stdin.isTTY && env["TERM"] !== "dumb" && env["CI"] === undefined;
}

async function openTerminalAsker(): Promise<Asker> {
  const { createTerminalAsker } = await import("./ask/terminal-asker.ts");
  return createTerminalAsker();
}

/**
 * The real process as {@link Io}. If a reader closes our output (`| head`), that must never stop a push: its errors end
 * here.
 */
export function openProcessIo(): Io {
  const stdout = openWholeFile(process.stdout.fd, (error) => (lost ??= error)) ?? process.stdout;
  for (const stream of [stdout, process.stdout, process.stderr]) stream.on("error", () => undefined);
  return {
    // Node opens it where it is first asked for.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr: process.stderr,
    cwd: process.cwd(),
    env: process.env,
    now: () => new Date(),
    openAsker: isTerminal() ? openTerminalAsker : undefined,
    onSignal(listener) {
      const handlers = STOP_SIGNALS.map(({ heard: signal, as }) => {
        const handler = (): void => listener(as);
        process.on(signal, handler);
        return { signal, handler };
      });
      return () => {
        // If the command has ended, this keeps a handler in place until `ignoreStopSignals` takes over.
        for (const { signal } of handlers) process.on(signal, ignore);
        setImmediate(() => handlers.forEach(({ signal }) => void process.off(signal, ignore)));
        for (const { signal, handler } of handlers) process.off(signal, handler);
      };
    },
  };
}
