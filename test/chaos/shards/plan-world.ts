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
 * steps what they leave in doubt, and closes the plan or gives it up. The same file is pushed after it.
 */
export function livePlan(seed: number, counters: Counters, maxKills: number): Promise<readonly string[]> {
  return inWorld(seed, async (world) =>
    new PlanWorld(world, counters, maxKills, await installCommand(world.directory)).live(),
  );
}

class PlanWorld {
  readonly #draw: World["draw"];
  readonly #service: World["service"];
  readonly #directory: string;
  readonly #rows: readonly ChaosRow[];
  readonly #counters: Counters;
  readonly #shards: number;
  readonly #pace: string;
  readonly #bin: string;
  readonly #told: string[] = [];
  #killsLeft: number;

  constructor({ draw, service, directory }: World, counters: Counters, maxKills: number, bin: string) {
    this.#draw = draw;
    this.#service = service;
    this.#directory = directory;
    this.#bin = bin;
    this.#counters = counters;
    this.#rows = drawRows(draw, draw.percent(50));
    this.#shards = draw.between(2, 6);
    this.#pace = drawPace(draw, this.#shards * 2).join(" ");
    this.#killsLeft = Math.min(maxKills, draw.between(3, 14));
  }

  /** Lives one plan; returns what was told. */
  async live(): Promise<readonly string[]> {
    for (let shard = 0; shard <= this.#shards; shard++) await mkdir(this.#synced(shard));
    await writeFile(join(this.#directory, "rows.csv"), toCsv(this.#rows, this.#draw.percent(25)));
    await this.#live().catch((cause: unknown) => {
      throw new Error(this.#told.slice(-6).join("\n"), { cause });
    });
    return this.#told;
  }

  async #live(): Promise<void> {
    await this.#makePlan();
    const ends = await this.#runShards();
    await this.#service.settled();
    const isGivenUp = this.#draw.percent(20);
    const doubts = new Map<number, readonly string[]>();
    for (const [shard, end] of ends)
      if (isGivenUp) doubts.set(shard, this.#doubtIn(end));
      else await this.#settle(shard, end);
    await (isGivenUp ? this.#giveUp() : this.#close());
    const mayBeMissing = new Set(await this.#pushAfter(doubts));
    const rejected = await rejectedNumbers(this.#directory);
    const bad = this.#rows.filter(({ isBad }) => isBad);
    this.#counters.lost += bad.filter(
      ({ number }) => !rejected.has(number) && !mayBeMissing.has(number),
    ).length;
    const good = this.#rows.filter(({ isBad }) => !isBad);
    judgeHeld(good, this.#service.applied, this.#counters, mayBeMissing);
  }

  /** An engine starts all shards, some at once, and each again after a kill or if its exit code asks for it. */
  async #runShards(): Promise<ReadonlyMap<number, ProcessEnd>> {
    const waiting = Array.from({ length: this.#shards }, (_, at) => at + 1).toSorted(() =>
      this.#draw.percent(50) ? 1 : -1,
    );
    const ends = new Map<number, ProcessEnd>();
    const lane = async (): Promise<void> => {
      for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift())
        ends.set(shard, await this.#runToItsEnd(shard));
    };
    await Promise.all(Array.from({ length: this.#draw.between(2, 4) }, lane));
    return ends;
  }

  async #runToItsEnd(shard: number): Promise<ProcessEnd> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (attempt > MAX_WILD_ATTEMPTS) this.#service.isCalm = true;
      const kill = this.#drawKill();
      const end = await this.#run(this.#push(shard), { shard, kill, isAlone: false });
      if (end.isKilled && this.#draw.percent(35))
        await losePower(this.#stateOf(shard), this.#synced(shard), this.#draw);
      if (end.isKilled) continue;
      if (AT_ITS_END.has(end.code)) return end;
      if (!STARTED_AGAIN.has(end.code))
        throw new Error(`the shard ${shard} ended with ${end.code}: ${end.stdout}${end.stderr}`);
    }
    throw new Error(`the shard ${shard} comes to no end`);
  }

  get #plan(): string {
    return join(this.#directory, "plan");
  }

  #stateOf(shard: number): string {
    return join(this.#plan, "shards", String(shard));
  }

  #synced(shard: number): string {
    return join(this.#directory, `synced-${shard}`);
  }

  #push(shard: number): string {
    return `rec-push push --plan ${this.#plan} --shard ${shard}/${this.#shards}`;
  }

  async #run(
    line: string,
    { shard = 0, kill, isAlone = true }: { shard?: number; kill?: KillPlan | undefined; isAlone?: boolean },
  ): Promise<ProcessEnd> {
    const { url } = this.#service;
    const env = {
      ...envOf(url, join(this.#directory, "state"), this.#bin),
      CHAOS_SYNCED: this.#synced(shard),
    };
    const command = { ...inShell(line), directory: this.#directory, env };
    const end = await (isAlone ? runKillable : runAmongOthers)(command, this.#service, kill);
    this.#told.push(`$ ${line}\n${end.isKilled ? "killed\n" : ""}${end.stdout}${end.stderr}exit ${end.code}`);
    if (end.isKilled) this.#counters.kills += 1;
    // A warning of Node, such as about too many listeners.
    if (/^\(node:\d+\)/m.test(end.stderr)) throw new Error("a warning of Node");
    return end;
  }

  #drawKill(): KillPlan | undefined {
    if (this.#killsLeft === 0 || this.#draw.percent(20)) return undefined;
    this.#killsLeft -= 1;
    return drawKill(this.#draw, { requests: 30, ms: 1200 });
  }

  async #makePlan(): Promise<void> {
    const line = `rec-push plan rows.csv ${READING.join(" ")} ${this.#pace} --shards ${this.#shards} --out plan`;
    for (let command = 0; command < MAX_COMMANDS; command++) {
      const kill = command < 2 && this.#draw.percent(30) ? this.#drawKill() : undefined;
      const end = await this.#run(line, { kill });
      if (this.#service.applied.length > 0) throw new Error("a plan sends nothing");
      if (end.isKilled) continue;
      if (end.code === 0 || end.stderr.includes("holds a plan already")) return;
      // The plan was killed when it was in force, or was just put there.
      if (end.code !== 9) throw new Error(`no plan: exit ${end.code}`);
      const listed = await this.#run(`rec-push runs --plan ${this.#plan}`, {});
      if (listed.code !== 9) throw new Error(`the plan is not in force: exit ${listed.code}`);
      return;
    }
    throw new Error("no plan is made");
  }

  /** Settles with printed steps what a shard has in doubt. */
  async #settle(shard: number, first: ProcessEnd): Promise<void> {
    const sameCommand = this.#push(shard);
    const edited: StepWorld["edited"] = new Map();
    let [end, line] = [first, sameCommand];
    for (let command = 0; command < MAX_COMMANDS; command++) {
      if (!end.isKilled && line === sameCommand && (end.code === 0 || end.code === 4)) return;
      // A person who has read the next step does not type the same line again.
      if (end.code === 8 || (end.isKilled && /^Next: if they /m.test(end.stdout))) {
        const listed = this.#draw.percent(40) ? await this.#list(shard) : end.stdout + end.stderr;
        line = await this.#chooseStep(listed, sameCommand, edited);
      } else line = end.isKilled ? this.#draw.oneOf([line, sameCommand]) : sameCommand;
      end = await this.#run(line, { shard, kill: this.#drawKill() });
    }
    throw new Error(`the shard ${shard} is never settled`);
  }

  /** What `runs --plan` says about a shard. */
  async #list(shard: number): Promise<string> {
    const { stdout } = await this.#run(`rec-push runs --plan ${this.#plan}`, {});
    const name = `  shard ${shard}/${this.#shards}: `;
    return stdout.split(/\n(?= {2}\S)/).find((part) => part.startsWith(name)) ?? "";
  }

  async #chooseStep(output: string, sameCommand: string, edited: StepWorld["edited"]): Promise<string> {
    const step = await chooseStep(output, {
      directory: this.#directory,
      held: new Set(this.#service.applied.map(({ number }) => number)),
      sameCommand,
      reading: READING.join(" "),
      input: "rows.csv",
      edited,
    });
    if (step === undefined) throw new Error("no step is printed for what is in doubt");
    return step.line;
  }

  /** The numbers of the creates on the lines that a shard names as in doubt; some of them may not be in doubt. */
  #doubtIn({ code, stdout }: ProcessEnd): readonly string[] {
    if (code !== 8) return [];
    const named = [
      ...stdout.matchAll(/in doubt: ([\d,]+) creates? in .*?, lines? ([\d,]+)(?:-([\d,]+))?$/gm),
    ];
    const numbers = named.flatMap(([, count = "", first = "", last = first]) => {
      const [from, to] = [toNumber(first), toNumber(last)];
      const rows = this.#rows.filter(({ line, key }) => line >= from && line <= to && key === undefined);
      if (rows.length < toNumber(count)) this.#counters.unnamedDoubt += 1;
      return rows.map(({ number }) => number);
    });
    if (numbers.length === 0) this.#counters.unnamedDoubt += 1;
    return numbers;
  }

  async #close(): Promise<void> {
    for (let command = 0; command < MAX_COMMANDS; command++) {
      const { isKilled, code, stdout } = await this.#run(`rec-push runs --plan ${this.#plan}`, {
        kill: this.#draw.percent(30) ? this.#drawKill() : undefined,
      });
      if (isKilled) continue;
      const bad = this.#rows.filter(({ isBad }) => isBad).length;
      if (code !== (bad > 0 ? 4 : 0)) throw new Error(`a plan of settled shards is not closed: ${code}`);
      const [, rows = "", accepted = ""] = /^ {2}([\d,]+) rows: ([\d,]+) accepted/m.exec(stdout) ?? [];
      this.#counters.lost += Math.abs(toNumber(rows) - this.#rows.length);
      this.#counters.lost += Math.abs(toNumber(accepted) + bad - this.#rows.length);
      return;
    }
  }

  async #giveUp(): Promise<void> {
    for (let command = 0; command < MAX_COMMANDS; command++) {
      const kill = this.#draw.percent(30) ? this.#drawKill() : undefined;
      const end = await this.#run(`rec-push runs abandon --plan ${this.#plan}`, { kill });
      if (end.isKilled) continue;
      if (end.code !== 0) throw new Error(`a plan is not given up: ${end.code}`);
      const refused = toNumber(/([\d,]+) refused/.exec(end.stdout)?.[1] ?? "0");
      // Refused rows are in files, also if a process was killed before it wrote them.
      this.#counters.lost += Math.max(0, refused - (await rejectedNumbers(this.#plan)).size);
      return;
    }
  }

  /**
   * After the plan the table is free, and the ledger knows what was created: the same file creates nothing twice. Doubt of a
   * plan that was given up is named, and settled if the service holds all of it or none; returns what is left of it.
   */
  async #pushAfter(doubts: ReadonlyMap<number, readonly string[]>): Promise<readonly string[]> {
    this.#service.isCalm = true;
    const push = `rec-push rows.csv ${READING.join(" ")} --atomic-batches --late 0s --exports full`;
    const end = await this.#run(push, {});
    if (![0, 4, 8].includes(end.code ?? -1))
      throw new Error(`the push after the plan ended with ${end.code}`);
    const held = new Set(this.#service.applied.map(({ number }) => number));
    const left: string[] = [];
    for (const [shard, numbers] of doubts) {
      if (numbers.length === 0) continue;
      const there = numbers.filter((number) => held.has(number)).length;
      const line = new RegExp(`\\S+${hex(shard)}0000 --in-doubt [0-9a-f]{8}=`).exec(end.stdout)?.[0];
      if (line === undefined) this.#counters.unnamedDoubt += 1;
      else if (there === numbers.length) await this.#run(`rec-push resume ${line}applied`, {});
      else if (there === 0) await this.#run(`rec-push resume ${line}absent`, {});
      else left.push(...numbers);
    }
    if (end.code === 8) await this.#run(push, {});
    return left;
  }
}

function hex(shard: number): string {
  return shard.toString(16).padStart(4, "0");
}

/** The numbers of the rows in all files of rejects below a directory. */
async function rejectedNumbers(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory, { recursive: true });
  const paths = names.filter((name) => /rejects[^/]*\.csv$/.test(name));
  const texts = await Promise.all(paths.map((name) => readFile(join(directory, name), "utf8")));
  return new Set(texts.flatMap((text) => [...text.matchAll(/,(1\d{5}),/g)].map(([, number = ""]) => number)));
}
