import fs from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BookEntry } from "../../src/store/book-entries.ts";
import { Book } from "../../src/store/book.ts";
import { openStateDirectory, placeOfTable, type StateDirectory } from "../../src/store/state-directory.ts";
import type { TableLock } from "../../src/store/held-lock.ts";
import { takeTableLock } from "../../src/store/table-lock.ts";
import { makeDirectory } from "../support/temp-files.ts";

const TABLE = { url: "http://service.example/api/items/commandes/" };

/** A process of this test: it stands still for ever at one of its file operations, as if it had been killed there. */
class Killer {
  /** How many operations it has begun. */
  operations = 0;
  readonly #at: number;
  readonly #isAfter: boolean;
  #die: () => void = () => undefined;
  readonly #dead = new Promise<"killed">((resolve) => (this.#die = () => resolve("killed")));
  readonly #restore: (() => void)[] = [];

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
  }

  /** True if the process got to its end. */
  async run(act: () => Promise<void>): Promise<boolean> {
    const handle = await promises.open(process.execPath);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    for (const name of ["sync", "datasync", "write", "appendFile", "writeFile", "truncate"])
      this.#watch(prototype, name);
    for (const name of ["rename", "link", "rm", "mkdir"]) this.#watch(promises, name);
    const handles: FileHandle[] = [];
    const { open } = promises;
    promises.open = async (...given) => {
      const opened = await open(...given);
      handles.push(opened);
      return opened;
    };
    this.#restore.push(() => void (promises.open = open));
    syncBuiltinESMExports();
    try {
      return (await Promise.race([act().then(() => "ended"), this.#dead])) === "ended";
    } finally {
      for (const restore of this.#restore) restore();
      syncBuiltinESMExports();
      // As the system does for a process that has ended.
      for (const opened of handles) await opened.close().catch(() => undefined);
    }
  }

  #watch(owner: object, name: string): void {
    const original = Reflect.get(owner, name) as (...given: readonly unknown[]) => Promise<unknown>;
    const begin = (): number => (this.operations += 1);
    const stopAt = (operation: number, isAfter: boolean): Promise<void> => this.#stopAt(operation, isAfter);
    Reflect.set(owner, name, async function watched(this: unknown, ...given: readonly unknown[]) {
      const operation = begin();
      await stopAt(operation, false);
      try {
        return await original.apply(this, [...given]);
      } finally {
        await stopAt(operation, true);
      }
    });
    this.#restore.push(() => Reflect.set(owner, name, original));
  }

  async #stopAt(operation: number, isAfter: boolean): Promise<void> {
    if (operation === this.#at && isAfter === this.#isAfter) await this.#stop();
  }

  #stop(): Promise<never> {
    this.#die();
    return new Promise(() => undefined);
  }
}

const begin = (run: string): BookEntry => ({
  entry: "begin",
  run,
  startedAt: "2026-11-21T03:15:00.000Z",
  file: "a.csv",
  content: run,
  dbVersion: null,
  runKey: null,
  hasCreates: true,
});

async function take(state: StateDirectory): Promise<TableLock> {
  const lock = await takeTableLock(state, TABLE);
  if (!("release" in lock)) throw new Error("it is held");
  return lock;
}

/** A killed process runs no more. */
async function forgetHolders(state: StateDirectory): Promise<void> {
  const table = placeOfTable(state, TABLE);
  for (const name of fs.existsSync(table) ? fs.readdirSync(table) : []) {
    if (!/^lock\.\d+$/.test(name)) continue;
    const text = fs.readFileSync(join(table, name), "utf8");
    fs.writeFileSync(join(table, name), text.replaceAll(/"pid":\d+/g, '"pid":4194304'));
  }
}

/** Takes the lock and adds these runs; `noted` gets each once it is certain to be there. */
async function addRuns(state: StateDirectory, runs: readonly string[], noted: Set<string>): Promise<void> {
  const lock = await take(state);
  const book = new Book(placeOfTable(state, TABLE));
  for (const run of runs) {
    await book.append(lock, begin(run));
    noted.add(run);
  }
  await lock.release();
}

type Act = (state: StateDirectory, noted: Set<string>) => Promise<void>;

const SCENARIOS: readonly (readonly [string, Act | undefined, Act])[] = [
  ["writes the first lines of a book", undefined, (state, noted) => addRuns(state, ["a", "b"], noted)],
  [
    "goes on where another one ended",
    (state, noted) => addRuns(state, ["a"], noted),
    (state, noted) => addRuns(state, ["b", "c"], noted),
  ],
  [
    "goes on where another one was killed",
    async (state, noted) => {
      const lock = await take(state);
      await new Book(placeOfTable(state, TABLE)).append(lock, begin("a"));
      noted.add("a");
      fs.appendFileSync(join(placeOfTable(state, TABLE), "book"), "12345678 {cut");
      await forgetHolders(state);
    },
    (state, noted) => addRuns(state, ["b", "c"], noted),
  ],
  [
    "rewrites a book",
    async (state, noted) => {
      const lock = await take(state);
      const told = Array.from({ length: 300 }, () => ({ entry: "released" as const, plan: "none" }));
      await new Book(placeOfTable(state, TABLE)).append(lock, begin("a"), ...told);
      noted.add("a");
      await lock.release();
    },
    async (state, noted) => {
      const lock = await take(state);
      const book = new Book(placeOfTable(state, TABLE));
      await book.rewrite(lock, new Set());
      await book.append(lock, begin("b"));
      noted.add("b");
      await lock.release();
    },
  ],
];

describe("a process that is killed at any file operation while it", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => vi.useRealTimers());

  it.each(SCENARIOS)(
    "%s leaves a book whose lock names a line of it, with all that counts",
    async (_, before, act) => {
      let kills = 0;
      for (let at = 1, isEnded = false; !isEnded; at++) {
        for (const isAfter of [false, true]) {
          const state = await openStateDirectory(join(await makeDirectory(), "state"));
          const noted = new Set<string>();
          await new Killer(0, false).run(async () => before?.(state, noted));
          isEnded = await new Killer(at, isAfter).run(() => act(state, noted));
          kills += isEnded ? 0 : 1;
          await forgetHolders(state);
          for (const next of ["x", "y"]) {
            const lock = await take(state);
            const book = new Book(placeOfTable(state, TABLE));
            await book.refresh();
            const found = book.runs.map(({ run }) => run);
            expect({ at, isAfter, holds: book.holds(lock.found) }).toEqual({ at, isAfter, holds: true });
            expect(found).toEqual(expect.arrayContaining([...noted]));
            await book.append(lock, begin(next));
            noted.add(next);
            await lock.release();
          }
        }
      }
      expect(kills).toBeGreaterThan(20);
    },
  );
});
