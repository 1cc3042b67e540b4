import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CommandLine } from "../fuzz/tables/run-check.ts";
import type { ProcessEnd, Start } from "./run-process.ts";

const DOOR = "dist/cli/main.js";
const SELF = fileURLToPath(import.meta.url);
/** After so many commands the process is another one, so that nothing piles up in it. */
const MOST_COMMANDS = 300;

/**
 * Runs command lines of a build one after the other in one process, in a twentieth of the time of a process each. It takes the
 * door that the build has for its own tests; nothing can be killed in it.
 */
export class Resident {
  readonly #build: string;
  #child: ChildProcess | undefined;
  #left = 0;

  constructor(build: string) {
    this.#build = build;
  }

  /** False for a build without that door, and where this program itself is not compiled. */
  static isPossible(build: string): boolean {
    return existsSync(join(build, DOOR)) && SELF.endsWith(".js");
  }

  async run(start: Start, timeoutMs: number): Promise<ProcessEnd> {
    if (this.#left-- === 0 || this.#child?.connected !== true) await this.#begin();
    const child = this.#child!;
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const either = new AbortController();
    try {
      return await Promise.race([
        once(child, "message", either).then(([end]) => end as ProcessEnd),
        once(child, "exit", either).then(([code, signal]) => {
          throw new Error(`the process ended (${signal ?? code}): ${start.argv.join(" ")}`);
        }),
        new Promise<never>((_, reject) => {
          child.send(start, (error) => error && reject(error));
        }),
      ]);
    } catch (error) {
      child.kill("SIGKILL");
      this.#child = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
      either.abort();
    }
  }

  end(): void {
    this.#child?.disconnect();
    this.#child = undefined;
  }

  async #begin(): Promise<void> {
    if (this.#child?.connected === true) this.end();
    this.#child = fork(SELF, [this.#build], {
      stdio: "inherit",
      env: { PATH: process.env["PATH"], TZ: "UTC", NO_COLOR: "1" },
    });
    this.#left = MOST_COMMANDS;
    await once(this.#child, "spawn");
  }
}

const [, self, build = ""] = process.argv;
if (process.send !== undefined && self === SELF) await serve();

async function serve(): Promise<void> {
  const { main } = (await import(pathToFileURL(join(build, DOOR)).href)) as { main: CommandLine };
  process.on("message", (start: Start) => {
    void runLine(main, start).then((end) => process.send?.(end));
  });
}

async function runLine(main: CommandLine, { argv, cwd, env }: Start): Promise<ProcessEnd> {
  process.chdir(cwd);
  const [stdout, stderr] = [new Collector(), new Collector()];
  const code = await main(argv, {
    stdin: new PassThrough().end(),
    stdout,
    stderr,
    cwd,
    env,
    now: () => new Date(),
    onSignal: () => () => undefined,
  });
  return { exit: String(code), stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = "";

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
