import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { ChaosService } from "./chaos-service.ts";

/** When a process is killed: at its n-th request, before or after the service has handled it, or after a time. */
export type KillPlan =
  { readonly atRequest: number; readonly afterMs: number } | { readonly afterMs: number };

export interface CommandEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  /** The last event, if the command was not killed. */
  readonly summary: Readonly<Record<string, unknown>> | undefined;
  /** All events. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

export interface CommandWorld {
  /** A script for Node, or the single executable. */
  readonly program: string;
  readonly service: ChaosService;
  readonly stateHome: string;
  /** The directory in which the process notes what it has brought to disk. */
  readonly synced: string;
}

/** A process to start: the program, its arguments, its directory and its standard input. */
export interface Command {
  readonly program: string;
  readonly argv: readonly string[];
  readonly directory?: string | undefined;
  readonly stdin?: string | Buffer | undefined;
  /** Directories that are searched for programs before all others. */
  readonly path?: string;
}

/** How a process ended, and what it printed. */
export interface ProcessEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of Node.js under which a program notes what it brings to disk. */
function notingOptions(program: string): readonly string[] {
  return [`--import=${resolve("test/chaos/note-syncs.mjs")}`, program];
}

/** Options of Node.js under which the built command notes what it brings to disk. */
export const NOTING = notingOptions(resolve("bin/rec-push.js"));

/** True for a script, which can be run with a hook that notes what is on disk. */
export function isScriptOfNode(program: string): boolean {
  return /\.m?js$/.test(program);
}

/** Runs the built command in its own process, kills it as planned, and waits until the service has received all it sent. */
export async function runCommand(
  argv: readonly string[],
  stdin: string | Buffer | undefined,
  world: CommandWorld,
  kill?: KillPlan,
): Promise<CommandEnd> {
  const { program } = world;
  const command = isScriptOfNode(program)
    ? { program: process.execPath, argv: [...notingOptions(program), ...argv], stdin }
    : { program, argv, stdin };
  const { stdout, ...end } = await runKillable(command, world, kill);
  const lines = stdout.split("\n").slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...end, events, summary: events.findLast(({ event }) => event === "summary") };
}

/** Runs a process with its children, kills them as planned, and waits until the service has received all they sent. */
export async function runKillable(
  command: Command,
  world: Omit<CommandWorld, "program">,
  kill?: KillPlan,
): Promise<ProcessEnd> {
  const end = await runAmongOthers(command, world, kill);
  await world.service.settled();
  return end;
}

/** The same while others use the service: waits only for what was sent before the process ended. */
export async function runAmongOthers(
  { program, argv, directory, stdin, path }: Command,
  { service, stateHome, synced }: Omit<CommandWorld, "program">,
  kill?: KillPlan,
): Promise<ProcessEnd> {
  const paths = process.env["PATH"] ?? "";
  const child = spawn(program, argv, {
    cwd: directory,
    // Its own process group, so that a shell is killed together with the commands it runs.
    detached: true,
    env: {
      PATH: path === undefined ? paths : `${path}:${paths}`,
      HOME: stateHome,
      XDG_STATE_HOME: stateHome,
      XDG_CACHE_HOME: stateHome,
      REC_PUSH_URL: service.url,
      REC_PUSH_TOKEN: "chaos-token",
      CHAOS_SYNCED: synced,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let isKilled = false;
  const killAfter = (ms: number): void => {
    setTimeout(() => {
      if (child.exitCode !== null || child.signalCode !== null || isKilled) return;
      isKilled = process.kill(-child.pid!, "SIGKILL");
    }, ms);
  };
  let requests = 0;
  const count = (): void => {
    requests += 1;
    if (kill !== undefined && "atRequest" in kill && requests === kill.atRequest) killAfter(kill.afterMs);
  };
  service.onRequest.add(count);
  if (kill !== undefined && !("atRequest" in kill)) killAfter(kill.afterMs);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(stdin ?? "");
  const [code, signal] = await new Promise<[number | null, string | null]>((done) => {
    child.on("close", (...end) => done(end));
  });
  service.onRequest.delete(count);
  // The sockets of a killed process may hold data that is read in the next turns of the event loop.
  for (let turn = 0; turn < 5; turn++) await new Promise((next) => setTimeout(next, 5));
  return { isKilled: signal === "SIGKILL", code, stdout, stderr };
}
