import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChaosService } from "../chaos-service.ts";
import type { Counters } from "../counters.ts";
import { drawFault } from "../draw-fault.ts";
import { judgeWorld } from "../judge-world.ts";
import { createDraw, type Draw } from "../random.ts";
import { readWorldEnd } from "../read-world-end.ts";
import { drawRows, FILLER, toCsv } from "../rows.ts";
import { ageLocks, startOn, type Ended, type Machine, type Started } from "./machine.ts";

/**
 * How long a holder is paused before it is woken. A look at the lock is valid for a second: the locks are aged here, but
 * nobody takes one from a holder that was silent for less than a minute.
 */
const PAUSE_MS = [1200, 2500] as const;

/** The most commands once nothing goes wrong any more. */
const MAX_LAST_COMMANDS = 20;

/** Pushes one file from machines that share a state directory, while holders of the lock are paused; adds what it finds. */
export async function liveShared(seed: number, counters: Counters, maxPauses: number): Promise<void> {
  const stateHome = await mkdtemp(join(tmpdir(), "rec-push-shared-"));
  const faults = createDraw(seed + 1);
  const service = await ChaosService.start(() => drawFault(faults));
  const draw = createDraw(seed);
  try {
    const rows = drawRows(draw);
    const file = join(stateHome, "rows.csv");
    await mkdir(join(stateHome, "rec-push"), { mode: 0o700 });
    await writeFile(file, toCsv(rows, false));
    const start = (machine: Machine, argv = pushOf(file, draw)): Started =>
      startOn(machine, argv, { url: service.url, stateHome });
    const machines = drawMachines(draw);
    const pauses = Math.min(maxPauses, draw.between(2, 6));
    for (let pause = 0; pause < pauses; pause++) {
      await pauseHolder(draw, machines, start, service, stateHome);
      counters.kills += 1;
    }
    service.isCalm = true;
    const last = async (argv?: readonly string[]): Promise<Ended> =>
      judged(await start(machines[0]!, argv).ended);
    for (let command = 0; ; command++) {
      if (command > MAX_LAST_COMMANDS) throw new Error(`no end after ${command} commands`);
      // A killed holder stays silent.
      await ageLocks(stateHome);
      const summary = (await last()).events.findLast(({ event }) => event === "summary");
      if (summary === undefined || Number(summary["failed"]) + Number(summary["notSent"]) > 0) continue;
      const end = await readWorldEnd(stateHome, summary, (await last(["runs", "--json"])).events, rows);
      judgeWorld(rows, service.applied, end, counters);
      return;
    }
  } finally {
    await service.close();
    await rm(stateHome, { recursive: true, force: true });
  }
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
  draw: Draw,
  machines: readonly Machine[],
  start: (machine: Machine) => Started,
  service: ChaosService,
  stateHome: string,
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
  if (draw.percent(80)) await ageLocks(stateHome);
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
function judged(end: Ended): Ended {
  if (end.code === 1) throw new Error(`rec-push failed: ${end.stderr}`);
  return end;
}

function pushOf(file: string, draw: Draw): readonly string[] {
  const size = String(draw.between(3, 30));
  const pace = [
    "--concurrency",
    "4",
    "--batch-size",
    size,
    "--timeout",
    "1s",
    "--retries",
    "1",
    "--late",
    "0s",
  ];
  const reading = ["--drop", FILLER, "--type", "etat=text"];
  return [file, "--table", "commandes", "--json", "--atomic-batches", ...reading, ...pace];
}
