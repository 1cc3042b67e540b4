import { createRequire } from "node:module";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { main as runCommand } from "../../src/cli/main.ts";
import type { Io } from "../../src/cli/run-settings.ts";
import type { StopSignal } from "../../src/model/exit-code.ts";
import { type SaysOfOthers, sendOthers } from "./other-columns.ts";

/** The built command, as users have it. */
const { main } = createRequire(resolve("package.json"))("./dist/cli/main.js") as { main: typeof runCommand };

/** The result of a command line that was run in this process. */
export interface MainResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON events, for commands with `--json`. */
  readonly events: () => readonly Record<string, unknown>[];
}

/** The surroundings of the command. */
export interface MainWorld {
  readonly stdin?: string | Buffer;
  readonly env?: Record<string, string>;
  /** What the command says about undeclared columns; `send` if not given. */
  readonly others?: SaysOfOthers;
  /** The directory where the search for a config begins. */
  readonly cwd?: string;
  readonly now?: Date;
  /** Answers in place of a person. */
  readonly openAsker?: Io["openAsker"];
  /** Sends a signal as soon as one of the streams matches. */
  readonly signalAt?: { readonly signal: StopSignal; readonly text: RegExp };
}

/** Runs `main` with its own streams and environment. */
export async function runMain(argv: readonly string[], world: MainWorld = {}): Promise<MainResult> {
  const listeners = new Set<(signal: StopSignal) => void>();
  let isSignalled = false;
  const signalIn = (text: string): void => {
    const { signalAt } = world;
    if (signalAt === undefined || isSignalled || !signalAt.text.test(text)) return;
    isSignalled = true;
    for (const listener of listeners) listener(signalAt.signal);
  };
  const stdout = collect((text) => {
    noteJournals(io.env["XDG_STATE_HOME"] ?? "");
    signalIn(text);
  });
  const stderr = collect(signalIn);
  const home = makeStateHome();
  const io: Io = {
    stdin: world.stdin === undefined ? new PassThrough().end() : Readable.from([world.stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: world.cwd ?? tmpdir(),
    now: () => world.now ?? new Date(),
    env: { XDG_STATE_HOME: home, XDG_CONFIG_HOME: join(home, "config"), ...world.env },
    openAsker: world.openAsker,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const code = await main(sendOthers(argv, world.others), io);
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    events: () =>
      stdout
        .text()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** By path: the journals as they were when a command last said something. A run is closed, and its journal goes, after that. */
export const lastJournals = new Map<string, Buffer>();

function noteJournals(home: string): void {
  const tables = join(home, "rec-push", "tables");
  const namesIn = (directory: string): readonly string[] =>
    existsSync(directory) ? readdirSync(directory) : [];
  for (const table of namesIn(tables))
    for (const run of namesIn(join(tables, table, "runs"))) {
      const path = join(tables, table, "runs", run, "journal");
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) lastJournals.set(path, readFileSync(path));
    }
}

/** A new directory for the state of commands; a test that runs several on one state passes it on. */
export function makeStateHome(): string {
  const directory = mkdtempSync(join(tmpdir(), "rec-push-state-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function collect(onText: (whole: string) => void): { stream: Writable; text: () => string } {
  let whole = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      whole += chunk.toString();
      onText(whole);
      done();
    },
  });
  return { stream, text: () => whole };
}
