import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { StopSignal } from "../model/exit-code.ts";
import type { Asker, Io } from "./run-settings.ts";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The exit code after a fault of this machine. */
const MACHINE_FAULT = 1;

/** Why standard output, if it is a file, is not complete. */
let lost: Error | undefined;

function ignore(): void {}

/** A signal that comes after the command has ended must not change its exit code; a second one ends the process. */
export function ignoreStopSignals(): void {
  for (const signal of STOP_SIGNALS) process.once(signal, ignore);
}

/**
 * The exit code of a command whose work ended with `code`. If standard output is a file that could not be written whole, a
 * message says so; that never stops a push.
 */
export function endOutput(code: number): number {
  // The command may have reported it already.
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
  const { createTerminalAsker } = await import("./ask/dialogue.ts");
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
    // Node opens it at the first access.
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
      // Node passes the signal's name.
      const handler = (signal: NodeJS.Signals): void => listener(signal as StopSignal);
      for (const signal of STOP_SIGNALS) process.on(signal, handler);
      return () => {
        // If the command has ended, this keeps a handler in place until `ignoreStopSignals` takes over.
        for (const signal of STOP_SIGNALS) process.on(signal, ignore);
        setImmediate(() => STOP_SIGNALS.forEach((signal) => void process.off(signal, ignore)));
        for (const signal of STOP_SIGNALS) process.off(signal, handler);
      };
    },
  };
}

/**
 * A stream to an open file that writes each text whole, or fails and calls `onLost`: Node ignores it if only a part was
 * written, as on a disk that becomes full. `undefined` if the descriptor is no file: the reader of a pipe, a socket or a
 * terminal may leave.
 */
function openWholeFile(descriptor: number, onLost: (error: Error) => void): Writable | undefined {
  if (!isFile(descriptor)) return undefined;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
        done();
      } catch (error) {
        // The stream reports it later, perhaps after the command has ended.
        onLost(error as Error);
        done(error as Error);
      }
    },
  });
}

/** True for devices too, such as /dev/null. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFile() || (found.isCharacterDevice() && !isatty(descriptor));
  } catch {
    return false;
  }
}
