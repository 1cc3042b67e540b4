import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type Command,
  drawPace,
  envOf,
  inShell,
  installCommand,
  inWorld,
  type ProcessEnd,
  READING,
  start,
  type World,
} from "../command.ts";
import type { Counters } from "../counters.ts";
import { judgeHeld } from "../judge-world.ts";
import { followToTheEnd } from "../pasted/pasted-world.ts";
import type { Draw } from "../random.ts";
import { drawRows, toCsv } from "../rows.ts";

/** A machine with its own boot, name and clock, which shares a state directory with others. */
interface Machine {
  readonly boot: string;
  readonly host: string;
  /** The difference between its clock and the true time. */
  readonly clockMs: number;
}

type Started = ReturnType<typeof start>;
type StartOn = (machine: Machine, command?: Pick<Command, "program" | "argv">) => Started;

/**
 * How long a holder is paused before it is woken. A look at the lock is valid for a second: the locks are aged here, but
 * nobody takes one from a holder that was silent for less than a minute.
 */
const PAUSE_MS = [1200, 2500] as const;

/**
 * Pushes one file from machines that share a state directory, while holders of the lock are paused; then a person follows what is
 * printed.
 */
export function liveShared(seed: number, counters: Counters, maxPauses: number): Promise<void> {
  return inWorld(seed, async (world) => {
    const { directory, service, draw } = world;
    const rows = drawRows(draw);
    const file = join(directory, "rows.csv");
    await mkdir(join(directory, "rec-push"), { mode: 0o700 });
    await writeFile(file, toCsv(rows, false));
    const bin = await installCommand(directory);
    const words = (): readonly string[] => [...READING, ...drawPace(draw, 4)];
    const push = () => ({
      program: process.execPath,
      argv: [resolve("bin/rec-push.js"), file, ...words()],
    });
    const startOn: StartOn = ({ boot, host, clockMs }, command = push()) =>
      start({
        ...command,
        directory,
        env: {
          ...envOf(service.url, directory, bin),
          NODE_OPTIONS: `--import=${resolve("test/support/be-elsewhere.mjs")}`,
          CHAOS_SYNCED: join(directory, "synced"),
          ELSEWHERE_BOOT: boot,
          ELSEWHERE_HOST: host,
          ELSEWHERE_CLOCK_MS: String(clockMs),
        },
      });
    const machines = drawMachines(draw);
    const pauses = Math.min(maxPauses, draw.between(2, 6));
    for (let pause = 0; pause < pauses; pause++) {
      await pauseHolder(world, machines, startOn);
      counters.kills += 1;
    }
    service.isCalm = true;
    await followToTheEnd(world, `rec-push rows.csv ${words().join(" ")}`, {
      run: async (line) => {
        // A killed holder stays silent.
        await ageLocks(directory);
        return judged(await startOn(machines[0]!, inShell(line)).ended);
      },
    });
    judgeHeld(rows, service.applied);
  });
}

/** Two of three have the same name, like machines made from one image. */
function drawMachines(draw: Draw): readonly Machine[] {
  return ["one", "two", "three"].map((boot) => ({
    boot,
    host: boot === "three" ? "other" : "image",
    clockMs: draw.between(-15, 15) * 60_000,
  }));
}

/** Stops a push at any moment, lets another machine push meanwhile, and wakes or kills the first one. */
async function pauseHolder(
  { draw, service, directory }: World,
  machines: readonly Machine[],
  start: StartOn,
): Promise<void> {
  const [own, other] = draw.percent(50) ? [machines[0]!, machines[1]!] : [machines[2]!, machines[0]!];
  const first = start(own);
  const atRequest = draw.between(1, 25);
  await new Promise<void>((reached) => {
    let requests = 0;
    const listener = (): void => {
      requests += 1;
      if (requests < atRequest) return;
      service.onRequest.delete(listener);
      setTimeout(reached, draw.between(0, 15));
    };
    service.onRequest.add(listener);
    void first.ended.then(() => {
      service.onRequest.delete(listener);
      reached();
    });
  });
  first.child.kill("SIGSTOP");
  // Else the other one finds the table locked, and sends nothing.
  if (draw.percent(80)) await ageLocks(directory);
  const second = start(other);
  const how = draw.between(1, 100);
  const paused = new Promise<void>((woken) => setTimeout(woken, draw.between(...PAUSE_MS)));
  if (how > 45) await second.ended;
  await paused;
  first.child.kill(how <= 85 ? "SIGCONT" : "SIGKILL");
  judged(await second.ended);
  judged(await first.ended);
  await service.settled();
}

/** No command may find the state damaged. */
function judged(end: ProcessEnd): ProcessEnd {
  if (end.code === 1) throw new Error(`rec-push failed: ${end.stderr}`);
  return end;
}

const HOUR_MS = 3_600_000;

/** Makes every lock look as if its holder had been silent for an hour. */
async function ageLocks(stateHome: string): Promise<void> {
  const tables = join(stateHome, "rec-push", "tables");
  const longAgo = new Date(Date.now() - HOUR_MS);
  for (const name of await readdir(tables, { recursive: true }).catch(() => []))
    // Its holder may have removed it meanwhile.
    if (/lock\.\d+$/.test(name)) await utimes(join(tables, name), longAgo, longAgo).catch(() => undefined);
}
