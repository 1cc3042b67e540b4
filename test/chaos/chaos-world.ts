import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Command,
  drawPace,
  envOf,
  inWorld,
  KillLoop,
  noting,
  type ProcessEnd,
  readEvents,
  READING,
  runKillable,
} from "./command.ts";
import type { Counters } from "./counters.ts";
import { createdOf, judgeWorld, leavesWork, readWorldEnd, type WorldEnd } from "./judge-world.ts";
import { drawRows, toFile, type ChaosFormat } from "./rows.ts";

/** A program that pushes: the built command, or another one with its words. */
interface ChaosProgram {
  /** A script for Node, or the single executable, which cannot note what is on disk. */
  readonly program: string;
  readonly format?: ChaosFormat;
}

/** One file, pushed to one service by one command that is killed again and again. */
export function liveChaos(
  seed: number,
  counters: Counters,
  maxKills: number,
  { program, format = "csv" }: ChaosProgram,
): Promise<readonly string[]> {
  return inWorld(seed, async (world) => {
    const { service, draw, directory } = world;
    const rows = drawRows(draw);
    const file = toFile(rows, draw.percent(25), format);
    const path = join(directory, `rows.${format}`);
    await writeFile(path, file);
    const input = draw.percent(25) ? "-" : path;
    const isScript = /\.m?js$/.test(program);
    const loop = new KillLoop(world, counters, maxKills, isScript);
    const env = { ...envOf(service.url, join(directory, "state")), CHAOS_SYNCED: join(directory, "synced") };
    const command = (argv: readonly string[]): Command => ({
      program: isScript ? process.execPath : program,
      argv: isScript ? [...noting(program), ...argv] : argv,
      stdin: argv[0] === "-" ? file : undefined,
      env,
    });
    const calmly = (argv: readonly string[]): Promise<ProcessEnd> => runKillable(command(argv), service);
    const push = (): readonly string[] => [input, ...READING, "--json", ...drawPace(draw, 8)];
    let settlings = 0;

    for (let argv = push(); ;) {
      const end = await loop.run(command(argv));
      if (end.code === 1) throw new Error(`rec-push failed: ${end.stderr}${end.stdout.slice(-900)}`);
      const goesOn = draw.percent(30);
      argv = goesOn ? ["resume", "--json", "--batch-size", String(draw.between(3, 30))] : push();
      const summary = end.isKilled ? undefined : summaryOf(end);
      // A process that was killed before its run began, or after its run ended, left nothing to resume: the next command is another.
      if (summary === undefined || summary["run"] === "" || leavesWork(summary)) continue;
      const events = readEvents((await calmly(["runs", "--json"])).stdout);
      const found = await readWorldEnd(join(directory, "state"), summary, events, rows);
      const decision = decide(found);
      if (decision !== undefined) {
        argv = ["resume", "--in-doubt", `${found.account.doubt}=${decision}`, "--json"];
        continue;
      }
      // A push of finished content sends no create again, and one of content in doubt sends nothing.
      service.isCalm = true;
      const again = draw.percent(30) ? summaryOf(await calmly(push())) : summary;
      // It sends the updates again; if it stops among them, on a busy machine, keys have values of earlier rows.
      if (leavesWork(again)) continue;
      judgeWorld(rows, service.applied, found, counters);
      return [];
    }

    /** The decision of a user who has looked into the service; `undefined` unless all records in doubt are there, or none is. */
    function decide({ account }: WorldEnd): "applied" | "resend" | undefined {
      const inDoubt = rows.filter(({ kind, ordinal }) => account.standingOf(kind, ordinal) === "inDoubt");
      const created = new Set(createdOf(service.applied));
      const applied = inDoubt.filter(({ number }) => created.has(number)).length;
      if (inDoubt.length === 0 || settlings >= 4) return undefined;
      settlings += 1;
      if (applied === inDoubt.length) return "applied";
      return applied === 0 ? "resend" : undefined;
    }
  });
}

function summaryOf({ stdout }: ProcessEnd) {
  return readEvents(stdout).findLast(({ event }) => event === "summary");
}
