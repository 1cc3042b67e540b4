import { appendFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { envOf, type Event, readEvents, start } from "../command.ts";
import type { Draw } from "../random.ts";
import type { Counters } from "../counters.ts";
import type { NightService, RequestKill } from "./night-service.ts";
import type { Row } from "./shop.ts";
import type { Truth } from "./truth.ts";
import { allRunsIn } from "../../support/table-parts.ts";

/** When a process is killed: at a request, at its n-th file operation, or after a time. */
export type NightKill =
  | { readonly kind: "request"; readonly plan: RequestKill }
  | { readonly kind: "write"; readonly at: number; readonly isAfter: boolean }
  | { readonly kind: "time"; readonly afterMs: number };

/** How a command ended. */
export interface NightEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly events: readonly Event[];
  readonly stderr: string;
}

/** A file of a night. */
export interface NightFile {
  readonly day: number;
  /** The path for commands; a later night may overwrite it. */
  readonly name: string;
  /** The path of an unchanged copy. */
  readonly kept: string;
  readonly rows: readonly Row[];
  readonly lines: readonly number[];
  readonly options: readonly string[];
}

/** What does not change in a life. */
export interface LifeFacts {
  readonly draw: Draw;
  readonly directory: string;
  readonly service: NightService;
  readonly truth: Truth;
  readonly counters: Counters;
  /** True if its files hold new rows only. */
  readonly isDelta: boolean;
  /** True if its files hold the numbers of orders. */
  readonly hasNumbers: boolean;
}

export type Life = ReturnType<typeof createLife>;

/** One shop with its service and state directory, and what its user knows. */
export function createLife(facts: LifeFacts) {
  return {
    ...facts,
    /** The options about the table's files, given from the beginning or since a push asked. */
    said: [] as readonly string[],
    day: 0,
    /** The files of earlier nights, in order. */
    before: [] as NightFile[],
    /** The files of the command that began a run. */
    files: new Map<string, readonly NightFile[]>(),

    get stateHome(): string {
      return join(this.directory, "state");
    },

    say(text: string): void {
      appendFileSync(join(this.directory, "log.txt"), `${text}\n`);
    },

    /** Throws because of something that must not happen. */
    find(kind: "untold" | "stuck", text: string): never {
      throw new Error(`${kind}: ${text}`);
    },

    /** Runs a command; `files` are those of the runs that it begins. */
    async command(
      argv: readonly string[],
      { kill, files }: { readonly kill?: NightKill | undefined; readonly files?: readonly NightFile[] } = {},
    ): Promise<NightEnd> {
      this.say(`$ ${argv.join(" ")}${kill === undefined ? "" : `   # ${JSON.stringify(kill)}`}`);
      const end = await this.run(argv, kill);
      this.counters.commands += 1;
      if (end.isKilled) this.counters.kills += 1;
      this.say(`exit ${end.isKilled ? "by kill" : end.code}\n${end.stderr}`);
      for (const event of end.events)
        if (["notice", "error", "summary", "run"].includes(String(event["event"])))
          this.say(JSON.stringify(event));
      if (files !== undefined)
        for (const run of await this.runs()) if (!this.files.has(run)) this.files.set(run, files);
      return end;
    },

    /** Runs the built command in its own process, and waits until the service has received all it sent. */
    async run(argv: readonly string[], kill: NightKill | undefined): Promise<NightEnd> {
      const { directory, service, stateHome } = this;
      const isAtWrite = kill?.kind === "write";
      const hook = isAtWrite ? [`--import=${resolve("test/chaos/nights/kill-at-write.mjs")}`] : [];
      const env = { ...envOf(service.url, stateHome), HOME: directory, XDG_CONFIG_HOME: directory };
      const atWrite = isAtWrite && {
        NIGHTS_KILL_AT: String(kill.at),
        NIGHTS_KILL_AFTER: kill.isAfter ? "1" : "0",
      };
      const { kill: die, ended } = start({
        program: process.execPath,
        argv: [...hook, resolve("bin/rec-push.js"), ...argv],
        directory,
        env: { ...env, ...atWrite },
      });
      if (kill?.kind === "request") service.kill = { ...kill.plan, process: die };
      const timer = setTimeout(die, kill?.kind === "time" ? kill.afterMs : 120_000);
      const { isKilled, code, stdout, stderr } = await ended;
      clearTimeout(timer);
      await service.settled();
      const events = readEvents(stdout);
      // A command that was killed after its summary counts as ended.
      const told = events.findLast(({ event }) => event === "summary")?.["exitCode"] as number | undefined;
      return { isKilled: isKilled && told === undefined, code: code ?? told ?? null, events, stderr };
    },

    /** A command other than a push; it may be killed, and is then run again. A person reads both answers. */
    async sideCommand(argv: readonly string[], files?: readonly NightFile[]): Promise<NightEnd> {
      const { draw } = this;
      this.service.calm();
      const kill: NightKill | undefined = draw.percent(20)
        ? { kind: "write", at: drawPlace(draw), isAfter: draw.percent(50) }
        : undefined;
      const end = await this.command(argv, { kill, ...(files && { files }) });
      if (!end.isKilled) return end;
      const again = await this.command(argv, { ...(files && { files }) });
      return { ...again, stderr: end.stderr + again.stderr };
    },

    /** Names of the runs that are kept. */
    async runs(): Promise<readonly string[]> {
      return allRunsIn(join(this.stateHome, "rec-push"));
    },

    /** The options of a push or of a change of the ledger. */
    words(file: Pick<NightFile, "options">): readonly string[] {
      const own = "--table commandes --type client=text --date-format DD/MM/YYYY".split(" ");
      return [...own, ...file.options, ...this.said];
    },

    async keep(name: string): Promise<string> {
      const kept = join("kept", String(this.day), name);
      await mkdir(join(this.directory, "kept", String(this.day)), { recursive: true });
      await cp(join(this.directory, name), join(this.directory, kept));
      return kept;
    },
  };
}

/** Draws one of a command's file operations; small numbers are far more frequent than large ones. */
export function drawPlace(draw: Draw): number {
  return Math.round(2 ** (draw.between(0, 650) / 100));
}
