import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Command,
  drawKill,
  drawPace,
  envOf,
  type Event,
  inWorld,
  noting,
  readEvents,
  READING,
  runKillable,
  type KillPlan,
  type World,
} from "./command.ts";
import type { Counters } from "./counters.ts";
import { createdOf, judgeWorld, leavesWork, readWorldEnd, type WorldEnd } from "./judge-world.ts";
import { losePower } from "./lose-power.ts";
import { drawRows, toFile, type ChaosFormat, type ChaosRow } from "./rows.ts";

/** After this many commands the service behaves, so that every world comes to an end. */
const MAX_WILD_COMMANDS = 40;
const MAX_COMMANDS = 80;

/** A program that pushes: the built command, or another one with its words. */
export interface ChaosProgram {
  /** A script for Node, or the single executable, which cannot note what is on disk. */
  readonly program: string;
  readonly format?: ChaosFormat;
}

/**
 * One file, pushed to one service by one command that is killed again and again, at most `maxKills` times; what is found is
 * added to the counters.
 */
export function liveChaos(
  seed: number,
  counters: Counters,
  maxKills: number,
  { program, format = "csv" }: ChaosProgram,
): Promise<void> {
  return inWorld(seed, async (world) => {
    const { service, draw, directory } = world;
    const rows = drawRows(draw);
    const file = toFile(rows, draw.percent(25), format);
    const isPiped = draw.percent(25);
    const killsLeft = Math.min(maxKills, draw.between(2, 12));
    const path = join(directory, `rows.${format}`);
    await writeFile(path, file);
    const env = { ...envOf(service.url, join(directory, "state")), CHAOS_SYNCED: join(directory, "synced") };
    const isScript = /\.m?js$/.test(program);
    const push = (argv: readonly string[]): Command => ({
      program: isScript ? process.execPath : program,
      argv: isScript ? [...noting(program), ...argv] : argv,
      stdin: argv[0] === "-" ? file : undefined,
      env,
    });
    const command = new ChaosCommand(world, rows, counters, { push, isScript, killsLeft });
    const end = await command.pushToTheEnd(isPiped ? "-" : path);
    judgeWorld(rows, service.applied, end, counters);
  });
}

interface How {
  readonly push: (argv: readonly string[]) => Command;
  readonly isScript: boolean;
  killsLeft: number;
}

interface CommandEnd {
  readonly code: number | null;
  readonly summary: Event | undefined;
  readonly events: readonly Event[];
}

/** The command that pushes the file of a world, again and again. */
class ChaosCommand {
  readonly #world: World;
  readonly #rows: readonly ChaosRow[];
  readonly #counters: Counters;
  readonly #how: How;
  #commands = 0;
  #settlings = 0;

  constructor(world: World, rows: readonly ChaosRow[], counters: Counters, how: How) {
    this.#world = world;
    this.#rows = rows;
    this.#counters = counters;
    this.#how = how;
  }

  async pushToTheEnd(file: string): Promise<WorldEnd> {
    const { draw, service, directory } = this.#world;
    const push = (): readonly string[] => [file, ...READING, "--json", ...drawPace(draw, 8)];
    const next = (): readonly string[] =>
      draw.percent(30) && this.#commands > 0
        ? ["resume", "--json", "--batch-size", String(draw.between(3, 30))]
        : push();
    let argv = next();
    for (;;) {
      const end = await this.#tryOnce(argv);
      argv = next();
      const summary = end?.summary;
      // A process that was killed before its run began, or after its run ended, left nothing to resume: draw another command.
      if (summary === undefined || summary["run"] === "" || leavesWork(summary)) continue;
      const { events } = await this.#run(["runs", "--json"]);
      const found = await readWorldEnd(join(directory, "state"), summary, events, this.#rows);
      const settling = this.#settle(found);
      if (settling === undefined) {
        // A push of finished content sends no create again, and one of content in doubt sends nothing.
        service.isCalm = true;
        const again = draw.percent(30) ? (await this.#run(push())).summary : summary;
        // It sends the updates again; if it stops among them, on a busy machine, keys have values of earlier rows.
        if (leavesWork(again)) continue;
        return found;
      }
      argv = ["resume", "--in-doubt", `${found.account.doubt}=${settling}`, "--json"];
    }
  }

  /** Runs a command that may be killed; `undefined` if it was. */
  async #tryOnce(argv: readonly string[]): Promise<CommandEnd | undefined> {
    const { draw, service, directory } = this.#world;
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) throw new Error(`no end after ${MAX_COMMANDS} commands`);
    if (this.#commands > MAX_WILD_COMMANDS) service.isCalm = true;
    const end = await this.#run(argv, this.#how.killsLeft > 0 ? drawKill(draw) : undefined);
    if (!end.isKilled) {
      if (end.code === 1)
        throw new Error(`rec-push failed: ${end.stderr}${JSON.stringify(end.events.at(-1))}`);
      return end;
    }
    this.#how.killsLeft -= 1;
    this.#counters.kills += 1;
    if (draw.percent(35) && this.#how.isScript)
      await losePower(join(directory, "state", "rec-push"), join(directory, "synced"), draw);
    return undefined;
  }

  async #run(argv: readonly string[], kill?: KillPlan) {
    const end = await runKillable(this.#how.push(argv), this.#world.service, kill);
    const events = readEvents(end.stdout);
    return { ...end, events, summary: events.findLast(({ event }) => event === "summary") };
  }

  /** The decision of a user who has looked into the service; `undefined` unless all records in doubt are there, or none is. */
  #settle({ account }: WorldEnd): "applied" | "resend" | undefined {
    const inDoubt = this.#rows.filter(({ kind, ordinal }) => account.standingOf(kind, ordinal) === "inDoubt");
    if (inDoubt.length === 0 || this.#settlings >= 4) return undefined;
    this.#settlings += 1;
    const created = new Set(createdOf(this.#world.service.applied));
    const applied = inDoubt.filter(({ number }) => created.has(number)).length;
    if (applied === inDoubt.length) return "applied";
    return applied === 0 ? "resend" : undefined;
  }
}
