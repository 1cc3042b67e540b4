import { spawn, type ChildProcess } from "node:child_process";
import { readdir, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";

/** A machine with its own boot, name and clock, which shares a state directory with others. */
export interface Machine {
  readonly boot: string;
  readonly host: string;
  /** The difference between its clock and the true time. */
  readonly clockMs: number;
}

/** A command that runs on a machine. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** How it ended. */
export interface Ended {
  readonly code: number | null;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

/** Starts the built command on a machine. */
export function startOn(
  { boot, host, clockMs }: Machine,
  argv: readonly string[],
  { url, stateHome }: { readonly url: string; readonly stateHome: string },
): Started {
  const hook = resolve("test/support/be-elsewhere.mjs");
  const child = spawn(process.execPath, [`--import=${hook}`, resolve("bin/rec-push.js"), ...argv], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: stateHome,
      XDG_STATE_HOME: stateHome,
      XDG_CACHE_HOME: stateHome,
      REC_PUSH_URL: url,
      REC_PUSH_TOKEN: "chaos-token",
      ELSEWHERE_BOOT: boot,
      ELSEWHERE_HOST: host,
      ELSEWHERE_CLOCK_MS: String(clockMs),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((done) => {
    child.on("close", (code) => {
      const lines = stdout.split("\n").slice(0, -1);
      done({ code, stderr, events: lines.map((line) => JSON.parse(line) as Record<string, unknown>) });
    });
  });
  return { child, ended };
}

const HOUR_MS = 3_600_000;

/** Makes every lock look as if its holder had been silent for an hour. */
export async function ageLocks(stateHome: string): Promise<void> {
  const tables = join(stateHome, "rec-push", "tables");
  const longAgo = new Date(Date.now() - HOUR_MS);
  for (const name of await readdir(tables, { recursive: true }).catch(() => []))
    // Its holder may have removed it meanwhile.
    if (/lock\.\d+$/.test(name)) await utimes(join(tables, name), longAgo, longAgo).catch(() => undefined);
}
