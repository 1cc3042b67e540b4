import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ChaosService } from "./chaos-service.ts";
import type { Counters } from "./counters.ts";
import { drawFault } from "./draw-fault.ts";
import { losePower } from "./lose-power.ts";
import { createDraw, type Draw } from "./random.ts";
import { FILLER } from "./rows.ts";

/** A directory, a service with the faults of a seed, and draws from it. */
export interface World {
  readonly directory: string;
  readonly service: ChaosService;
  readonly draw: Draw;
  /** The commands so far and what they printed; shown if something is found. */
  readonly told: string[];
}

/** Lives in a world that is gone afterwards. */
export async function inWorld(seed: number, live: (world: World) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "rec-push-chaos-"));
  const faults = createDraw(seed + 1);
  const service = await ChaosService.start(() => drawFault(faults));
  const told: string[] = [];
  try {
    await mkdir(join(directory, "synced"));
    await live({ directory, service, draw: createDraw(seed), told });
  } catch (cause) {
    throw new Error(told.join("\n"), { cause });
  } finally {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** How the rows of a chaos file are read. */
export const READING = ["--table", "commandes", "--drop", FILLER, "--type", "etat=text"];

/** How they are sent. */
export function drawPace(draw: Draw, concurrency: number): readonly string[] {
  const size = draw.between(3, 30);
  const pace = `--concurrency ${concurrency} --batch-size ${size} --retries ${draw.between(0, 2)}`;
  return `--atomic-batches --late 0s --timeout 1s ${pace}`.split(" ");
}

/** When a process is killed: at its n-th request, before or after the service has handled it, or after a time. */
export interface KillPlan {
  readonly atRequest?: number;
  readonly afterMs: number;
}

export function drawKill(draw: Draw, most = { requests: 40, ms: 900 }): KillPlan {
  if (draw.percent(35)) return { afterMs: draw.between(100, most.ms) };
  return { atRequest: draw.between(1, most.requests), afterMs: draw.between(0, 30) };
}

/** A process to start. */
export interface Command {
  readonly program: string;
  readonly argv: readonly string[];
  readonly directory?: string | undefined;
  readonly stdin?: string | Buffer | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended, and what it printed. */
export interface ProcessEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a process in its own group, so that a shell is killed together with the commands it runs. */
export function start({ program, argv, directory, stdin = "", env }: Command): {
  readonly child: ChildProcess;
  readonly kill: () => void;
  readonly ended: Promise<ProcessEnd>;
} {
  const child = spawn(program, argv, { cwd: directory, detached: true, env, stdio: "pipe" });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(stdin);
  const ended = new Promise<ProcessEnd>((done) => {
    child.on("close", (code, signal) => done({ isKilled: signal === "SIGKILL", code, stdout, stderr }));
  });
  const kill = (): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
  };
  return { child, kill, ended };
}

/** The environment in which a command pushes to a service. */
export function envOf(url: string, stateHome: string, path?: string): Record<string, string> {
  const paths = process.env["PATH"] ?? "";
  return {
    PATH: path === undefined ? paths : `${path}:${paths}`,
    HOME: stateHome,
    XDG_STATE_HOME: stateHome,
    XDG_CACHE_HOME: stateHome,
    REC_PUSH_URL: url,
    REC_PUSH_TOKEN: "chaos-token",
  };
}

export type Event = Readonly<Record<string, unknown>>;

/** Events are whole lines; a kill may have cut the last. */
export function readEvents(stdout: string): readonly Event[] {
  const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Event);
}

/** Options of Node.js under which a script notes what it brings to disk. */
function noting(script: string): readonly string[] {
  return [`--import=${resolve("test/chaos/note-syncs.mjs")}`, script];
}

/** Writes a directory with the command `rec-push`, which notes what it brings to disk, for those who type it. */
export async function installCommand(directory: string): Promise<string> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  const words = [process.execPath, ...noting(resolve("bin/rec-push.js"))].map((word) => `'${word}'`);
  await writeFile(join(bin, "rec-push"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  await chmod(join(bin, "rec-push"), 0o755);
  return bin;
}

/** Runs a process with its children, kills them as planned, and waits until the service has received all they sent. */
export async function runKillable(
  command: Command,
  service: ChaosService,
  kill?: KillPlan,
): Promise<ProcessEnd> {
  const end = await runAmongOthers(command, service, kill);
  await service.settled();
  return end;
}

/** The same while others use the service: waits only for what was sent before the process ended. */
export async function runAmongOthers(
  command: Command,
  service: ChaosService,
  kill?: KillPlan,
): Promise<ProcessEnd> {
  const { kill: die, ended } = start(command);
  let requests = 0;
  const count = (): void => {
    requests += 1;
    if (requests === kill?.atRequest) setTimeout(die, kill.afterMs);
  };
  service.onRequest.add(count);
  if (kill !== undefined && kill.atRequest === undefined) setTimeout(die, kill.afterMs);
  const end = await ended;
  service.onRequest.delete(count);
  // The sockets of a killed process may hold data that is read in the next turns of the event loop.
  for (let turn = 0; turn < 5; turn++) await sleep(5);
  return end;
}

/** After this many commands the service behaves, so that every world comes to an end. */
const MAX_WILD_COMMANDS = 35;
const MAX_COMMANDS = 80;

/** The commands of one world: some are killed, and then a power failure may take away what was not brought to disk. */
export class KillLoop {
  readonly #world: World;
  readonly #counters: Counters;
  #killsLeft: number;
  #commands = 0;

  constructor(world: World, counters: Counters, maxKills: number) {
    this.#world = world;
    this.#counters = counters;
    this.#killsLeft = Math.min(maxKills, world.draw.between(2, 12));
  }

  /** `beside`: another process on the same state, which must have ended before the power fails. */
  async run(command: Command, beside?: Promise<unknown>): Promise<ProcessEnd> {
    const { draw, service, directory } = this.#world;
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) throw new Error(`no end after ${MAX_COMMANDS} commands`);
    if (this.#commands > MAX_WILD_COMMANDS) service.isCalm = true;
    const end = await runKillable(command, service, this.#killsLeft > 0 ? drawKill(draw) : undefined);
    await beside;
    if (!end.isKilled) return end;
    this.#killsLeft -= 1;
    this.#counters.kills += 1;
    if (draw.percent(35))
      await losePower(join(directory, "state", "rec-push"), join(directory, "synced"), draw);
    return end;
  }
}

/** Pastes a line into a shell. */
export const inShell = (line: string): Pick<Command, "program" | "argv"> => ({
  program: "sh",
  argv: ["-c", line],
});
