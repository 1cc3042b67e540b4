import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { sendOthers, type SaysOfOthers } from "./other-columns.ts";
import { makeStateHome, runMain } from "./run-main.ts";

/** The built command. */
export const BIN = fileURLToPath(new URL("../../bin/rec-push.js", import.meta.url));

/** Where code that V8 compiled is kept, so that tests leave nothing in the user's own cache. */
const CACHE = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));

/** How a process ended. */
export interface ProcessResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface RunningProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<ProcessResult>;
  /** Resolves once standard output matches; rejects if the process ends before that. */
  readonly waitForStdout: (pattern: RegExp) => Promise<string>;
}

/** Starts the built command as users do: `node bin/rec-push.js`. It is killed at the end of the test if it still runs. */
export function startProcess(
  argv: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  others?: SaysOfOthers,
): RunningProcess {
  const home = makeStateHome();
  const child = spawn(process.execPath, [BIN, ...sendOthers(argv, others)], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      XDG_CACHE_HOME: CACHE,
      XDG_STATE_HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    waitForStdout: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (pattern.test(stdout)) resolve(stdout);
        };
        watchers.add(watch);
        watch();
        void ended.then(() => reject(new Error(`ended without ${String(pattern)}: ${stdout}${stderr}`)));
      }),
  };
}

/**
 * Runs the built command to its end, with this text as standard input: in this process, which saves the time that one
 * takes to begin, unless the environment says how Node is to begin.
 */
export async function runProcess(
  argv: readonly string[],
  world: {
    readonly env?: Record<string, string>;
    readonly stdin?: string;
    readonly cwd?: string;
    readonly others?: SaysOfOthers;
  } = {},
): Promise<ProcessResult> {
  const { env = {}, stdin = "", cwd, others } = world;
  if (env["NODE_OPTIONS"] === undefined) {
    const inherited = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };
    const before = process.cwd();
    process.chdir(cwd ?? before);
    try {
      const { code, stdout, stderr } = await runMain(argv, {
        stdin,
        cwd: process.cwd(),
        env: { ...inherited, ...env },
        ...(others === undefined ? {} : { others }),
      });
      return { code, signal: null, stdout, stderr };
    } finally {
      process.chdir(before);
    }
  }
  const { child, ended } = startProcess(argv, env, cwd, others);
  child.stdin?.on("error", () => undefined).end(stdin);
  return ended;
}
