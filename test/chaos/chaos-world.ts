import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChaosService } from "./chaos-service.ts";
import { isScriptOfNode, runCommand, type CommandEnd, type KillPlan } from "./command.ts";
import type { Counters } from "./counters.ts";
import { drawFault } from "./draw-fault.ts";
import { createdOf, judgeWorld, type WorldEnd } from "./judge-world.ts";
import { losePower } from "./lose-power.ts";
import { createDraw, type Draw } from "./random.ts";
import { readWorldEnd } from "./read-world-end.ts";
import { drawRows, FILLER, toFile, type ChaosFormat, type ChaosRow } from "./rows.ts";

/** After this many commands the service behaves, so that every world comes to an end. */
const MAX_WILD_COMMANDS = 40;
const MAX_COMMANDS = 80;

/** One file, pushed to one service by one command that is killed again and again. */
export class ChaosWorld {
  readonly #draw: Draw;
  readonly #rows: readonly ChaosRow[];
  readonly #file: Buffer;
  readonly #format: ChaosFormat;
  readonly #directory: string;
  readonly #service: ChaosService;
  readonly #isPiped: boolean;
  readonly #program: string;
  readonly #counters: Counters;
  #killsLeft: number;
  #commands = 0;
  #settlings = 0;

  private constructor(
    seed: number,
    directory: string,
    service: ChaosService,
    counters: Counters,
    maxKills: number,
    program: string,
    format: ChaosFormat,
  ) {
    this.#format = format;
    this.#program = program;
    const draw = createDraw(seed);
    this.#rows = drawRows(draw);
    this.#file = toFile(this.#rows, draw.percent(25), format);
    this.#isPiped = draw.percent(25);
    this.#killsLeft = Math.min(maxKills, draw.between(2, 12));
    this.#draw = draw;
    this.#directory = directory;
    this.#service = service;
    this.#counters = counters;
  }

  /** Pushes until it ends, with at most `maxKills` kills, and adds what it finds to the counters. */
  static async live(
    seed: number,
    counters: Counters,
    maxKills: number,
    program: string,
    format: ChaosFormat = "csv",
  ): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), "rec-push-chaos-"));
    const faults = createDraw(seed + 1);
    const service = await ChaosService.start(() => drawFault(faults));
    try {
      await mkdir(join(directory, "synced"));
      const world = new ChaosWorld(seed, directory, service, counters, maxKills, program, format);
      await writeFile(world.#path, world.#file);
      const end = await world.#pushToTheEnd();
      judgeWorld(world.#rows, service.applied, end, counters);
    } finally {
      await service.close();
      await rm(directory, { recursive: true, force: true });
    }
  }

  async #pushToTheEnd(): Promise<WorldEnd> {
    let argv = this.#drawCommand();
    for (;;) {
      const end = await this.#run(argv);
      argv = this.#drawCommand();
      if (end === undefined) continue;
      const { summary } = end;
      // A process that was killed before its run began, or after its run ended, left nothing to resume: draw another command.
      if (summary === undefined || summary["run"] === "" || leavesWork(summary)) continue;
      const found = await this.#look(summary);
      const settling = this.#settle(found);
      if (settling === undefined) {
        // A push of finished content sends no create again, and one of content in doubt sends nothing.
        this.#service.isCalm = true;
        const again = this.#draw.percent(30) ? await this.#command(this.#pushCommand()) : end;
        // It sends the updates again; if it stops among them, on a busy machine, keys have values of earlier rows.
        if (leavesWork(again.summary)) continue;
        return found;
      }
      argv = ["resume", "--in-doubt", `${found.account.doubt}=${settling}`, "--json"];
    }
  }

  /** Runs a command that may be killed; `undefined` if it was. */
  async #run(argv: readonly string[]): Promise<CommandEnd | undefined> {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) throw new Error(`no end after ${MAX_COMMANDS} commands`);
    if (this.#commands > MAX_WILD_COMMANDS) this.#service.isCalm = true;
    const kill = this.#killsLeft > 0 ? this.#drawKill() : undefined;
    const end = await this.#command(argv, kill);
    if (!end.isKilled) {
      if (end.code === 1)
        throw new Error(`rec-push failed: ${end.stderr}${JSON.stringify(end.events.at(-1))}`);
      return end;
    }
    this.#killsLeft -= 1;
    this.#counters.kills += 1;
    // The single executable cannot note what is on disk.
    if (this.#draw.percent(35) && isScriptOfNode(this.#program))
      await losePower(this.#stateHome, this.#synced, this.#draw);
    return undefined;
  }

  #command(argv: readonly string[], kill?: KillPlan): Promise<CommandEnd> {
    const world = {
      program: this.#program,
      service: this.#service,
      stateHome: this.#stateHome,
      synced: this.#synced,
    };
    return runCommand(argv, argv[0] === "-" ? this.#file : undefined, world, kill);
  }

  get #path(): string {
    return join(this.#directory, `rows.${this.#format}`);
  }

  get #stateHome(): string {
    return join(this.#directory, "state");
  }

  get #synced(): string {
    return join(this.#directory, "synced");
  }

  #drawCommand(): readonly string[] {
    return this.#draw.percent(30) && this.#commands > 0
      ? ["resume", "--json", "--batch-size", String(this.#draw.between(3, 30))]
      : this.#pushCommand();
  }

  #pushCommand(): readonly string[] {
    const file = this.#isPiped ? "-" : this.#path;
    const size = String(this.#draw.between(3, 30));
    const pace = [
      "--concurrency",
      "8",
      "--batch-size",
      size,
      "--late",
      "0s",
      "--timeout",
      "1s",
      "--retries",
      String(this.#draw.between(0, 2)),
    ];
    return [
      file,
      "--table",
      "commandes",
      "--json",
      "--atomic-batches",
      "--drop",
      FILLER,
      "--type",
      "etat=text",
      ...pace,
    ];
  }

  #drawKill(): KillPlan {
    if (this.#draw.percent(35)) return { afterMs: this.#draw.between(100, 900) };
    return { atRequest: this.#draw.between(1, 40), afterMs: this.#draw.between(0, 30) };
  }

  async #look(summary: WorldEnd["summary"]): Promise<WorldEnd> {
    return readWorldEnd(
      this.#stateHome,
      summary,
      (await this.#command(["runs", "--json"])).events,
      this.#rows,
    );
  }

  /** The decision of a user who has looked into the service; `undefined` unless all records in doubt are there, or none is. */
  #settle({ account }: WorldEnd): "applied" | "resend" | undefined {
    const inDoubt = this.#rows.filter(({ kind, ordinal }) => account.standingOf(kind, ordinal) === "inDoubt");
    if (inDoubt.length === 0 || this.#settlings >= 4) return undefined;
    this.#settlings += 1;
    const created = new Set(createdOf(this.#service.applied));
    const applied = inDoubt.filter(({ number }) => created.has(number)).length;
    if (applied === inDoubt.length) return "applied";
    return applied === 0 ? "resend" : undefined;
  }
}

/** True if records are left that the next command would send. */
function leavesWork(summary: CommandEnd["summary"]): boolean {
  return Number(summary?.["failed"] ?? 0) + Number(summary?.["notSent"] ?? 0) > 0;
}
