import type { StopSignal } from "../model/exit-code.ts";
import type { Asker } from "./ask/asker.ts";
import type { Io } from "./io.ts";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** True if a person reads what is written and can answer. */
function isTerminal(): boolean {
  const { stdin, stdout, stderr, env } = process;
  const isScreen = stdin.isTTY && stdout.isTTY && stderr.isTTY;
  return isScreen && env["TERM"] !== "dumb" && env["CI"] === undefined;
}

async function openTerminalAsker(): Promise<Asker> {
  const { createTerminalAsker } = await import("./ask/terminal-asker.ts");
  return createTerminalAsker();
}

/** The real process as {@link Io}. A reader that closes our output (`| head`) must never stop a push: its errors end here. */
export function openProcessIo(): Io {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    cwd: process.cwd(),
    env: process.env,
    now: () => new Date(),
    openAsker: isTerminal() ? openTerminalAsker : undefined,
    onSignal(listener) {
      const handlers = STOP_SIGNALS.map((signal) => {
        const handler = (): void => listener(signal);
        process.on(signal, handler);
        return (): void => void process.off(signal, handler);
      });
      return () => handlers.forEach((remove) => remove());
    },
  };
}
