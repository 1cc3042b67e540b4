import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  drawKill,
  drawPace,
  envOf,
  inShell,
  installCommand,
  inWorld,
  type KillPlan,
  type ProcessEnd,
  READING,
  runAmongOthers,
  runKillable,
  type World,
} from "../command.ts";
import type { Counters } from "../counters.ts";
import { judgeHeld } from "../judge-world.ts";
import { losePower } from "../lose-power.ts";
import { chooseStep, type StepWorld, toNumber } from "../pasted/choose-step.ts";
import { drawRows, toCsv, type ChaosRow } from "../rows.ts";

const MAX_COMMANDS = 60;

/** After this many attempts the service behaves, so that every shard comes to an end. */
const MAX_WILD_ATTEMPTS = 8;
const MAX_ATTEMPTS = 30;

/** The exit codes after which the topic shards says to start a shard again, but for 1, a fault, which chaos must not meet. */
const STARTED_AGAIN: ReadonlySet<number | null> = new Set([7, 9, 129, 130, 143]);
const AT_ITS_END: ReadonlySet<number | null> = new Set([0, 4, 8]);

/**
 * A file that is planned and pushed by an engine, whose shards are killed again and again; a person settles with printed
 * steps what they leave in doubt, and closes the plan. The same file is pushed after it.
 */
export function livePlan(seed: number, counters: Counters, maxKills: number): Promise<void> {
  return inWorld(seed, async (world) => {
    const rows = drawRows(world.draw, world.draw.percent(50));
    await writeFile(join(world.directory, "rows.csv"), toCsv(rows, world.draw.percent(25)));
    const plan = new PlanWorld(world, counters, maxKills, rows, await installCommand(world.directory));
    await plan.live();
  });
}

class PlanWorld {
  readonly #world: World;
  readonly #counters: Counters;
  readonly #rows: readonly ChaosRow[];
  readonly #bin: string;
  readonly #shards: number;
  readonly #pace: string;
  readonly #plan: string;
  #killsLeft: number;

  constructor(world: World, counters: Counters, maxKills: number, rows: readonly ChaosRow[], bin: string) {
    this.#world = world;
    this.#counters = counters;
    this.#rows = rows;
    this.#bin = bin;
    this.#shards = world.draw.between(2, 6);
    this.#pace = drawPace(world.draw, this.#shards * 2).join(" ");
    this.#plan = join(world.directory, "plan");
    this.#killsLeft = Math.min(maxKills, world.draw.between(3, 14));
  }

  async live(): Promise<void> {
    const { service, directory } = this.#world;
    for (let shard = 0; shard <= this.#shards; shard++) await mkdir(this.#synced(shard));
    await this.#makePlan();
    const ends = await this.#runShards();
    await service.settled();
    for (const [shard, end] of ends) await this.#settle(shard, end);
    await this.#close();
    await this.#pushAfter();
    const rejected = await rejectedNumbers(directory);
    const lost = this.#rows.filter(({ isBad, number }) => isBad && !rejected.has(number));
    if (lost.length > 0) throw new Error(`refused rows in no file of rejects: ${JSON.stringify(lost)}`);
    judgeHeld(
      this.#rows.filter(({ isBad }) => !isBad),
      service.applied,
    );
  }

  /** An engine starts all shards, some at once, and each again after a kill or if its exit code asks for it. */
  async #runShards(): Promise<ReadonlyMap<number, ProcessEnd>> {
    const { draw } = this.#world;
    const waiting = Array.from({ length: this.#shards }, (_, at) => at + 1).toSorted(() =>
      draw.percent(50) ? 1 : -1,
    );
    const ends = new Map<number, ProcessEnd>();
    const lane = async (): Promise<void> => {
      for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift())
        ends.set(shard, await this.#runToItsEnd(shard));
    };
    await Promise.all(Array.from({ length: draw.between(2, 4) }, lane));
    return ends;
  }

  async #runToItsEnd(shard: number): Promise<ProcessEnd> {
    const { draw, service } = this.#world;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (attempt > MAX_WILD_ATTEMPTS) service.isCalm = true;
      const kill = this.#drawKill();
      const end = await this.#run(this.#push(shard), { shard, kill, isAlone: false });
      if (end.isKilled && draw.percent(35))
        await losePower(join(this.#plan, "shards", String(shard)), this.#synced(shard), draw);
      if (end.isKilled) continue;
      if (AT_ITS_END.has(end.code)) return end;
      if (!STARTED_AGAIN.has(end.code)) throw new Error(`the shard ${shard} ended with ${end.code}`);
    }
    throw new Error(`the shard ${shard} comes to no end`);
  }

  #synced(shard: number): string {
    return join(this.#world.directory, `synced-${shard}`);
  }

  #push(shard: number): string {
    return `rec-push push --plan ${this.#plan} --shard ${shard}/${this.#shards}`;
  }

  async #run(
    line: string,
    {
      shard = 0,
      kill,
      isAlone = true,
    }: { shard?: number; kill?: KillPlan | undefined; isAlone?: boolean } = {},
  ): Promise<ProcessEnd> {
    const { service, directory, told } = this.#world;
    const env = {
      ...envOf(service.url, join(directory, "state"), this.#bin),
      CHAOS_SYNCED: this.#synced(shard),
    };
    const command = { ...inShell(line), directory, env };
    const end = await (isAlone ? runKillable : runAmongOthers)(command, service, kill);
    told.push(`$ ${line}\n${end.isKilled ? "killed\n" : ""}${end.stdout}${end.stderr}exit ${end.code}`);
    if (end.isKilled) this.#counters.kills += 1;
    // A warning of Node, such as about too many listeners.
    if (/^\(node:\d+\)/m.test(end.stderr)) throw new Error("a warning of Node");
    return end;
  }

  #drawKill(): KillPlan | undefined {
    const { draw } = this.#world;
    if (this.#killsLeft === 0 || draw.percent(20)) return undefined;
    this.#killsLeft -= 1;
    return drawKill(draw, { requests: 30, ms: 1200 });
  }

  async #makePlan(): Promise<void> {
    const { draw, service } = this.#world;
    const line = `rec-push plan rows.csv ${READING.join(" ")} ${this.#pace} --shards ${this.#shards} --out plan`;
    for (let command = 0; command < MAX_COMMANDS; command++) {
      const kill = command < 2 && draw.percent(30) ? this.#drawKill() : undefined;
      const end = await this.#run(line, { kill });
      if (service.applied.length > 0) throw new Error("a plan sends nothing");
      if (end.isKilled) continue;
      if (end.code === 0 || end.stderr.includes("holds a plan already")) return;
      // The plan was killed when it was in force, or was just put there.
      if (end.code !== 9) throw new Error(`no plan: exit ${end.code}`);
      const listed = await this.#run(`rec-push runs --plan ${this.#plan}`);
      if (listed.code !== 9) throw new Error(`the plan is not in force: exit ${listed.code}`);
      return;
    }
    throw new Error("no plan is made");
  }

  /** Settles with printed steps what a shard has in doubt. */
  async #settle(shard: number, first: ProcessEnd): Promise<void> {
    const { draw } = this.#world;
    const sameCommand = this.#push(shard);
    const edited: StepWorld["edited"] = new Map();
    let [end, line] = [first, sameCommand];
    for (let command = 0; command < MAX_COMMANDS; command++) {
      if (!end.isKilled && line === sameCommand && (end.code === 0 || end.code === 4)) return;
      // A person who has read the next step does not type the same line again.
      if (end.code === 8 || (end.isKilled && /^Next: if they /m.test(end.stdout))) {
        const listed = draw.percent(40) ? await this.#list(shard) : end.stdout + end.stderr;
        line = await this.#chooseStep(listed, sameCommand, edited);
      } else line = end.isKilled ? draw.oneOf([line, sameCommand]) : sameCommand;
      end = await this.#run(line, { shard, kill: this.#drawKill() });
    }
    throw new Error(`the shard ${shard} is never settled`);
  }

  /** What `runs --plan` says about a shard. */
  async #list(shard: number): Promise<string> {
    const { stdout } = await this.#run(`rec-push runs --plan ${this.#plan}`);
    const name = `  shard ${shard}/${this.#shards}: `;
    return stdout.split(/\n(?= {2}\S)/).find((part) => part.startsWith(name)) ?? "";
  }

  async #chooseStep(output: string, sameCommand: string, edited: StepWorld["edited"]): Promise<string> {
    const { directory, service } = this.#world;
    const held = new Set(service.applied.map(({ number }) => number));
    const step = await chooseStep(output, { directory, held, sameCommand, input: "rows.csv", edited });
    if (step === undefined) throw new Error("no step is printed for what is in doubt");
    return step.line;
  }

  async #close(): Promise<void> {
    for (let command = 0; command < MAX_COMMANDS; command++) {
      const kill = this.#world.draw.percent(30) ? this.#drawKill() : undefined;
      const { isKilled, code, stdout } = await this.#run(`rec-push runs --plan ${this.#plan}`, { kill });
      if (isKilled) continue;
      const bad = this.#rows.filter(({ isBad }) => isBad).length;
      if (code !== (bad > 0 ? 4 : 0)) throw new Error(`a plan of settled shards is not closed: ${code}`);
      const [, ...counts] = /^ {2}([\d,]+) rows: ([\d,]+) accepted/m.exec(stdout) ?? [];
      const [rows, accepted] = counts.map(toNumber);
      if (rows !== this.#rows.length || accepted !== rows - bad)
        throw new Error(`${this.#rows.length} rows, ${bad} of them bad, are listed otherwise`);
      return;
    }
  }

  /** After the plan the table is free, and the ledger has its creates: the same file creates nothing twice. */
  async #pushAfter(): Promise<void> {
    this.#world.service.isCalm = true;
    const push = `rec-push rows.csv ${READING.join(" ")} --atomic-batches --late 0s --exports full`;
    const { code } = await this.#run(push);
    if (code !== 0 && code !== 4) throw new Error(`the push after the plan ended with ${code}`);
  }
}

/** The numbers of the rows in all files of rejects below a directory. */
async function rejectedNumbers(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory, { recursive: true });
  const paths = names.filter((name) => /rejects[^/]*\.csv$/.test(name));
  const texts = await Promise.all(paths.map((name) => readFile(join(directory, name), "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/,(1\d{5}),/g)].map(([, number = ""]) => number)));
}
