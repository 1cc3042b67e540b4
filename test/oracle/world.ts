import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { splitWords } from "../fuzz/robot/robot-shell.ts";
import { stepLines } from "../support/steps.ts";
import { type Event, Normaliser, type Step } from "./observation.ts";
import { type Fate, type Received, RecordService, TOKEN } from "./record-service.ts";
import type { Resident } from "./resident.ts";
import { type ProcessEnd, runProcess } from "./run-process.ts";

/** No command of the oracle takes this long, even on a busy machine. */
const HANG_MS = 120_000;

/** How a command ended, as the person sees it who typed it. */
export interface End {
  readonly exit: string;
  /** The sentences that it printed, hints and next steps among them, by line. */
  readonly told: readonly string[];
}

/** A case: what a person or a night does with files, given by its commands. The same for each build. */
export interface Case {
  readonly name: string;
  /** True if each command has to be a process of its own, also those that are not killed. */
  readonly isByProcess?: boolean;
  readonly play: (world: World) => Promise<void>;
}

/** A build, and what its cases share. */
export interface Build {
  readonly directory: string;
  /** For compiled code. */
  readonly cache: string;
  /** Runs its command lines in one process. */
  readonly resident?: Resident | undefined;
}

interface Place {
  readonly root: string;
  readonly bin: string;
  readonly cache: string;
  readonly resident: Resident | undefined;
}

/** A machine with its own directories, a service, and one build. */
export class World {
  readonly steps: Step[] = [];
  readonly #inputs = new Set<string>();
  readonly #place: Place;
  readonly #service: RecordService;
  readonly #normaliser: Normaliser;

  private constructor(place: Place, build: Build, service: RecordService) {
    this.#place = place;
    this.#service = service;
    this.#normaliser = new Normaliser([
      [join(place.root, "work"), "WORK"],
      [place.root, "HOME"],
      [build.directory, "BUILD"],
      [new URL(service.url).host, "SERVICE"],
    ]);
  }

  /** Plays a case with a build in a new directory, and returns what could be seen. */
  static async play({ play, isByProcess = false }: Case, build: Build, directory: string): Promise<Step[]> {
    mkdirSync(directory, { recursive: true });
    const root = realpathSync(directory);
    for (const name of ["work", "home"]) mkdirSync(join(root, name));
    const service = await RecordService.start();
    try {
      const resident = isByProcess ? undefined : build.resident;
      const bin = join(build.directory, "bin/rec-push.js");
      const world = new World({ root, bin, cache: build.cache, resident }, build, service);
      await play(world);
      return world.steps;
    } finally {
      await service.close();
      rmSync(root, { recursive: true, force: true });
    }
  }

  /** Records that the service has applied. */
  get applied(): Received["records"] {
    return this.#service.received.filter(({ isApplied }) => isApplied).flatMap(({ records }) => records);
  }

  /** The names of all files beside the inputs. */
  get written(): readonly string[] {
    return readdirSync(join(this.#place.root, "work"), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !this.#inputs.has(entry.name))
      .map(({ name }) => name)
      .sort();
  }

  write(name: string, bytes: string | Uint8Array): void {
    this.#inputs.add(name);
    writeFileSync(this.#path(name), bytes);
  }

  /** Changes a file of rows, as a person does with an editor. */
  edit(name: string, change: (text: string) => string): void {
    writeFileSync(this.#path(name), change(this.read(name)));
  }

  read(name: string): string {
    return readFileSync(this.#path(name), "utf8");
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  /** Runs a printed line. */
  paste(line: string, fates: readonly Fate[] = []): Promise<End> {
    const argv = splitWords(line).slice(1);
    return this.run(argv.includes("--quiet") ? argv : [...argv, "--json"], fates);
  }

  /** Runs a command, and notes what it does. */
  async run(argv: readonly string[], fates: readonly Fate[] = []): Promise<End> {
    const { root, bin, cache, resident } = this.#place;
    const before = this.#service.received.length;
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(root, "home"),
      XDG_STATE_HOME: join(root, "state"),
      XDG_CONFIG_HOME: join(root, "config"),
      XDG_CACHE_HOME: cache,
      TMPDIR: root,
      TZ: "UTC",
      NO_COLOR: "1",
      REC_PUSH_URL: this.#service.url,
      REC_PUSH_TOKEN: TOKEN,
    };
    const start = { argv, cwd: join(root, "work"), env };
    this.#service.begin(fates);
    const end =
      resident === undefined || fates.some(({ how }) => typeof how === "string" && /^(?:kill|SIG)/.test(how))
        ? await runProcess(bin, start, HANG_MS, (kill) => this.#service.begin(fates, kill))
        : await resident.run(start, HANG_MS);
    // Requests that a killed process had sent are read in the next turns of the event loop.
    if (end.exit === "SIGKILL") await new Promise((resolve) => setTimeout(resolve, 50));
    return this.#note(argv, end, before);
  }

  #note(argv: readonly string[], { exit, stdout, stderr }: ProcessEnd, before: number): End {
    const raw = stdout.split("\n").filter((line) => line.startsWith('{"event"'));
    const events = raw.flatMap(parse);
    const others = stdout.split("\n").filter((line) => !line.startsWith('{"event"'));
    this.steps.push({
      command: this.#normaliser.text(argv.join(" ")),
      exit,
      events: events.map((event) => this.#normaliser.event(event)),
      stdout: this.#normaliser.lines(others.join("\n")),
      stderr: this.#normaliser.lines(stderr),
      received: this.#service.received.slice(before),
      files: new Map(this.written.map((name) => [name, this.#normaliser.lines(this.read(name))])),
    });
    const told = [...events.flatMap(sentencesOf), ...others, stderr].flatMap((text) => text.split("\n"));
    return { exit, told };
  }

  #path(name: string): string {
    return join(this.#place.root, "work", name);
  }
}

/** A line that was cut by a kill is no event. */
function parse(line: string): Event[] {
  try {
    return [JSON.parse(line) as Event];
  } catch {
    return [];
  }
}

/** What an event says to a person. */
function sentencesOf({ message, hint, reason, text, next }: Event): string[] {
  // The other build may say steps as texts.
  const steps = [next ?? []].flat().flatMap((step) => (typeof step === "string" ? step : stepLines([step])));
  return [message, hint, reason, text, ...steps].flat().filter((said) => typeof said === "string");
}
