import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { makeStateHome } from "./run-main.ts";
import { BIN } from "./run-process.ts";

/** True if tmux is installed, whose screen a test can read. */
export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

/** A command in a terminal with a screen and a keyboard. */
export interface Tmux {
  /** The lines on the screen, without the empty ones at its end. */
  readonly screen: () => readonly string[];
  readonly type: (...keys: readonly string[]) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Waits until the screen matches, and returns it. */
  readonly waitFor: (pattern: RegExp) => Promise<readonly string[]>;
}

let opened = 0;

/** Runs one command line of rec-push in a terminal of that size; when it has ended, the screen shows `exit CODE`. */
export function runInTmux(
  argv: readonly string[],
  {
    columns,
    rows = 24,
    cwd,
    env = {},
  }: {
    readonly columns: number;
    readonly rows?: number;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Tmux {
  opened += 1;
  const home = makeStateHome();
  const socket = `rec-push-test-${process.pid}-${opened}`;
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        TERM: "xterm",
        HOME: home,
        XDG_STATE_HOME: home,
        XDG_CONFIG_HOME: home,
        LANG: "C.UTF-8",
        ...env,
      },
    });
  const words = [process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(" ");
  // The shell outlives the command, so that its screen stays.
  const shell = `trap : INT; ${words}; echo "exit $?"; trap '' INT; sleep 600`;
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), shell);
  onTestFinished(() => void tmux("kill-server"));
  const screen = (): readonly string[] => tmux("capture-pane", "-p").trimEnd().split("\n");
  return {
    screen,
    type: (...keys) => void tmux("send-keys", ...keys),
    resize: (width, height) => void tmux("resize-window", "-x", String(width), "-y", String(height)),
    async waitFor(pattern) {
      for (let tries = 0; tries < 600; tries++) {
        const lines = screen();
        if (pattern.test(lines.join("\n"))) return lines;
        await sleep(50);
      }
      throw new Error(`the screen never matched ${String(pattern)}:\n${screen().join("\n")}`);
    },
  };
}
