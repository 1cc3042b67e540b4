import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { type SaysOfOthers, sendOthers } from "./other-columns.ts";
import { BIN } from "./run-process.ts";

/** True if `script` of util-linux is installed, which gives a process a real terminal; Node cannot. */
export const HAS_TERMINALS = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

/** What a terminal showed. */
export interface Session {
  readonly code: number | null;
  readonly shown: string;
}

/** The size of a terminal. */
export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/**
 * Runs command lines of rec-push one after the other, until one fails, in a real terminal of that size. It is given
 * another size as soon as it shows what `resizeAt` says.
 */
export async function runInTerminal(
  commands: readonly (readonly string[])[],
  size: Size,
  env: Readonly<Record<string, string>>,
  resizeAt?: { readonly shown: RegExp; readonly size: Size },
  others: SaysOfOthers = "send",
  typing: readonly { readonly shown: RegExp; readonly keys: string }[] = [],
): Promise<Session> {
  // A command that hangs would outlive its terminal.
  const command = `timeout --foreground -s KILL 50 ${quote(process.execPath)} ${quote(BIN)}`;
  const lines = commands.map((argv) => `${command} ${sendOthers(argv, others).map(quote).join(" ")}`);
  const session = ["tty", `stty ${sttySize(size)}`, ...lines].join(" && ");
  const child = spawn("script", ["-qec", session, "/dev/null"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      TERM: "xterm",
      SHELL: "/bin/sh",
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let shown = "";
  let isResized = false;
  let typed = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    const next = typing[typed];
    if (next?.shown.test(shown) === true) {
      typed++;
      child.stdin.write(next.keys);
    }
    if (resizeAt === undefined || isResized || !resizeAt.shown.test(shown)) return;
    isResized = true;
    const [terminal = ""] = /^\S+/.exec(shown) ?? [];
    spawnSync("stty", ["-F", terminal, ...sttySize(resizeAt.size).split(" ")]);
  });
  return { code: await ended, shown };
}

function sttySize({ rows, columns }: Size): string {
  return `rows ${rows} cols ${columns}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
