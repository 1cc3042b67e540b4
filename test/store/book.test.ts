import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import type { BookEntry, Prints } from "../../src/store/book-entries.ts";
import { Book } from "../../src/store/book.ts";
import type { TableLock } from "../../src/store/held-lock.ts";
import { closeFinished } from "../../src/store/close-finished.ts";
import { bookOf } from "../../src/store/find-books.ts";
import { cannotUse, makeTable, openStateDirectory, placeOfTable } from "../../src/store/state-directory.ts";
import { readJournalLines, takeTableLock } from "../../src/store/table-lock.ts";
import { atNight } from "../support/draws.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { heldWith } from "./run-facts.ts";

const RUN = "20261121-031500-3f9a1c";
const PRINTS: Prints = {
  kind: "created",
  run: RUN,
  startedAt: "2026-11-21T03:15:00.000Z",
  file: "é.csv",
  dbVersion: null,
  runKey: null,
  leavesRows: false,
  shape: "0",
  hashed: [],
  name: RUN,
  sum: "0a1b2c3d",
  certain: 3,
  doubtful: 0,
};

const begin = (run = RUN, content = "abc"): BookEntry => ({
  entry: "begin",
  run,
  startedAt: "2026-11-21T03:15:00.000Z",
  file: "é.csv",
  content,
  dbVersion: null,
  runKey: null,
  hasCreates: true,
});

const close = (run = RUN): BookEntry => ({
  entry: "close",
  run,
  at: "2026-11-21T03:16:00.000Z",
  exitCode: 0,
  hasCreates: true,
  prints: PRINTS,
});

const HOLD = { plan: "p", url: "http://localhost/", table: "t", directory: "/plan", inputs: [] };

const ENTRIES: readonly BookEntry[] = [
  begin(),
  close(),
  begin("second"),
  { entry: "prints", files: { added: { ...PRINTS, name: "added" } } },
  { entry: "prints", files: { [RUN]: null }, removedFrom: [RUN] },
  { entry: "held", hold: HOLD },
];

async function written(entries = ENTRIES, directory?: string): Promise<Book> {
  const book = new Book(directory ?? (await makeDirectory()));
  for (const entry of entries) await book.append(lockFor(book), entry);
  return book;
}

function lockFor(book: Book, more: Partial<TableLock> = {}): TableLock {
  return { ...heldWith(1), found: book.end, ...more };
}

/** What a book says, as plain data. */
async function read(directory: string) {
  const book = new Book(directory);
  await book.refresh();
  const { runs, prints, hold, table } = book;
  return { runs, prints: [...prints], hold, table, end: book.end.number };
}

describe("a book", () => {
  it("says whose it is, and what its entries say together", async () => {
    const { directory } = await written();
    const found = await read(directory);
    expect(found.table).toEqual({ url: heldWith(1).table.url });
    expect(found.runs.map(({ run, closed, hasCreates }) => [run, closed?.exitCode, hasCreates])).toEqual([
      [RUN, 0, false],
      ["second", undefined, true],
    ]);
    expect(found.prints.map(([name]) => name)).toEqual(["added"]);
    expect(found.hold).toEqual(HOLD);
    expect((await stat(join(directory, "book"))).mode & 0o777).toBe(0o600);
  });

  it("is held until the same plan releases it", async () => {
    const after = async (plan: string) =>
      (await read((await written([...ENTRIES, { entry: "released", plan }])).directory)).hold;
    expect([await after("p"), await after("other")]).toEqual([undefined, HOLD]);
  });

  it("cut off at any byte says what its whole lines say, and goes on there", async () => {
    const { path, directory } = await written();
    const whole = await readFile(path);
    const [last = 0] = [...whole.entries()]
      .filter(([, byte]) => byte === 0x0a)
      .map(([at]) => at + 1)
      .slice(-2);
    const before = await read((await written(ENTRIES.slice(0, -1))).directory);
    for (let bytes = last; bytes < whole.length; bytes += atNight ? 1 : 3) {
      await writeFile(path, whole.subarray(0, bytes));
      expect(await read(directory)).toEqual(before);
      const book = new Book(directory);
      await book.refresh();
      await book.append(lockFor(book), ENTRIES.at(-1)!);
      expect(await readFile(path)).toEqual(whole);
    }
  });

  it("is read on from where it was read, also where another process has replaced it", async () => {
    const book = await written();
    const reader = new Book(book.directory);
    await reader.refresh();
    await book.append(lockFor(book), begin("third"));
    await reader.refresh();
    expect(reader.runs.map(({ run }) => run)).toEqual([RUN, "second", "third"]);
    // The successor of a holder that was killed goes on in a copy.
    const successor = new Book(book.directory);
    await successor.append(lockFor(book, { fence: 2, wasReleased: false }), begin("fourth"));
    await reader.refresh();
    expect(reader.runs.map(({ run }) => run)).toEqual([RUN, "second", "third", "fourth"]);
  });

  it("is read anew where another file has got the number of its own", async () => {
    const book = await written();
    const other = await written([begin("first"), ...ENTRIES, begin("last")]);
    const reader = new Book(book.directory);
    await reader.refresh();
    const { ino } = await stat(book.path);
    // A file system gives the number of a file that is gone to the next one.
    for (let tries = 0; tries < 50; tries++) {
      await rm(book.path);
      await writeFile(book.path, await readFile(other.path), { mode: 0o600 });
      if ((await stat(book.path)).ino === ino) break;
    }
    await reader.refresh();
    expect(reader.runs).toEqual((await read(other.directory)).runs);
  });

  it("is out of reach of a process that was paused amid a write once its successor goes on", async () => {
    const book = await written();
    let wake = (): void => undefined;
    const paused = new Promise<void>((resolve) => (wake = resolve));
    // It has looked at its lock, and then stands still.
    const late = book.append(lockFor(book, { check: () => paused }), begin("late"));
    const successor = new Book(book.directory);
    await successor.refresh();
    await successor.append(lockFor(successor, { fence: 2, wasReleased: false }), begin("next"));
    wake();
    await late.catch(() => undefined);
    const found = await read(book.directory).catch(({ code }) => code as string);
    expect(found).toMatchObject({ runs: [{ run: RUN }, { run: "second" }, { run: "next" }] });
  });

  it("takes nothing from a holder that has lost its lock", async () => {
    const book = await written();
    const lost = new RecPushError("lock-lost", "lost");
    await expect(
      book.append(lockFor(book, { check: () => Promise.reject(lost) }), begin("late")),
    ).rejects.toBe(lost);
    expect((await read(book.directory)).end).toBe(ENTRIES.length + 1);
  });
});

describe("a book that is rewritten", () => {
  const NAMES = Array.from({ length: 150 }, (_, at) => `run ${at}`);
  const NONE: ReadonlySet<string> = new Set();

  it("says the same in fewer lines, and follows the line that the lock names", async () => {
    const { directory } = await written();
    const book = new Book(directory);
    await book.refresh();
    await book.append(lockFor(book), ...NAMES.flatMap((name) => [begin(name), close(name)]), ...ENTRIES);
    const [before, end] = [await read(directory), book.end];
    const handedOn: unknown[] = [];
    const lock = lockFor(book, {
      handOn: async (line, isSynced = false) => void handedOn.push([line.number, isSynced]),
    });
    await book.rewrite(lock, NONE);
    const after = await read(directory);
    expect({ ...after, end: 0 }).toEqual({ ...before, end: 0 });
    expect(after.end).toBeLessThan(before.end * 0.6);
    expect(handedOn).toEqual([
      [before.end, true],
      [after.end, false],
    ]);
    // A process that was killed before it could name a line of the new book had named the last one of the old.
    expect([book.holds(end), book.holds({ ...end, number: end.number - 1 })]).toEqual([true, false]);
    await book.append(lockFor(book), begin("next"));
    expect((await read(directory)).runs).toHaveLength(before.runs.length + 1);
  });

  it("keeps the figures of the last 400 files", async () => {
    const { directory } = await written([]);
    const book = new Book(directory);
    const profiles = Array.from({ length: 1100 }, (_, at) => ({ at }));
    await book.append(lockFor(book), ...profiles.map((profile) => ({ entry: "figures" as const, profile })));
    expect(book.figures).toEqual(profiles.slice(-400));
    await book.rewrite(lockFor(book), NONE);
    const again = new Book(directory);
    await again.refresh();
    expect([again.figures, again.end.number]).toEqual([profiles.slice(-400), 402]);
  });

  it("by a push stays as it is where its disk fails or it is older than its lock, and the push goes on", async () => {
    const state = await openStateDirectory(join(await makeDirectory(), "state"));
    await makeTable(state, heldWith(1).table);
    const book = await bookOf(state, heldWith(1).table);
    const old = { at: "2026-01-01T00:00:00.000Z", kept: {} } as object;
    const ended = NAMES.map((name): BookEntry => ({ ...close(name), ...old }));
    await book.append(lockFor(book), ...NAMES.map((name) => begin(name)), ...ended);
    const { number } = book.end;
    const failing = (why: Error) => lockFor(book, { handOn: () => Promise.reject(why) });
    await closeFinished({ state, lock: failing(cannotUse(book.path, new Error("EIO"))) });
    await closeFinished({ state, lock: lockFor(book, { found: { number: 3, sum: 1 } }) });
    expect(book.end.number).toBe(number);
    const lost = new RecPushError("lock-lost", "lost");
    await expect(closeFinished({ state, lock: failing(lost) })).rejects.toBe(lost);
    await closeFinished({ state, lock: lockFor(book) });
    expect(book.end.number).toBe(NAMES.length + 2);
    expect(book.runs.every(({ closed }) => closed !== undefined && closed.kept === undefined)).toBe(true);
  });
});

describe("the lock of a table", () => {
  it("hands on the last line of the book, also after a kill, and no line of a book that lacks the one before", async () => {
    const state = await openStateDirectory(join(await makeDirectory(), "state"));
    const table = { url: heldWith(1).table.url };
    const take = async () => {
      const lock = await takeTableLock(state, table);
      if (!("release" in lock)) throw new Error("it is held");
      return lock;
    };
    const first = await take();
    const book = new Book(placeOfTable(state, table));
    expect(book.holds(first.found)).toBe(true);
    await book.append(first, begin());
    const { number, sum } = book.end;
    await first.release();
    const second = await take();
    expect([second.found, second.wasReleased]).toEqual([{ number, sum }, true]);
    await book.append(second, close());
    await forgetHolder(state);
    const third = await take();
    expect([third.found?.number, third.wasReleased]).toEqual([3, false]);
    const older = await written([begin()]);
    await writeFile(book.path, await readFile(older.path));
    const short = new Book(book.directory);
    await short.append(third, begin("next"));
    expect(short.holds(third.found)).toBe(false);
    await third.release();
    expect((await take()).found?.number).toBe(3);

    /** Its process is gone. */
    async function forgetHolder({ tables }: typeof state): Promise<void> {
      const path = join(placeOfTable({ tables }, table), "lock.2");
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replaceAll(/"pid":\d+/g, '"pid":4194304'));
    }
  });

  it("hands on what was noted last, also where a write was cut off at any byte", async () => {
    const state = await openStateDirectory(join(await makeDirectory(), "state"));
    const take = async () => {
      const lock = await takeTableLock(state, { url: heldWith(1).table.url });
      if (!("release" in lock)) throw new Error("it is held");
      return lock;
    };
    const lock = await take();
    const directory = placeOfTable(state, lock.table);
    const path = join(directory, "lock.1");
    const older = { number: 7, sum: 8 };
    await lock.noteLines(RUN, 3);
    await lock.handOn(older);
    const before = (await readFile(path)).length;
    await lock.noteLines(RUN, 5);
    await lock.handOn({ number: 9, sum: 2 ** 32 - 1 });
    const whole = await readFile(path);
    await lock.release();
    const gone = (bytes: Buffer): string => bytes.toString().replaceAll(/"pid":\d+/g, '"pid":4194304');
    const first = whole.indexOf("\n", before + 1);
    const cut = [before, before + 1, before + 9, first - 1, first, first + 1, whole.length - 1, whole.length];
    for (const at of cut) {
      await writeFile(path, gone(whole.subarray(0, at)));
      expect(await readJournalLines(directory, RUN)).toBe(at >= first ? 5 : 3);
    }
    await writeFile(path, `${gone(whole.subarray(0, -1))}\n${gone(whole.subarray(before + 1))}`);
    const next = await take();
    expect(next.found).toEqual({ number: 9, sum: 2 ** 32 - 1 });
    await next.noteLines(RUN, 0);
    await next.release();
    expect(await readJournalLines(directory, RUN)).toBe(0);
  });
});
