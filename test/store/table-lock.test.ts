import fs, { mkdir, readdir, readFile, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ownIdentity } from "../../src/store/process-identity.ts";
import { openStateDirectory, placeOfTable, type StateDirectory } from "../../src/store/state-directory.ts";
import { spellState, type TableLock } from "../../src/store/held-lock.ts";
import { readJournalLines, takeTableLock } from "../../src/store/table-lock.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** No process has this number. */
const GONE = 4_194_304;
const URL = "http://127.0.0.1/api/items/commandes/";
const makeState = async (): Promise<StateDirectory> =>
  openStateDirectory(join(await makeDirectory(), "state"));
const take = (state: StateDirectory, url = URL) => takeTableLock(state, { url });
const locksOf = (state: StateDirectory): string => placeOfTable(state, { url: URL });
const isTaken = (lock: Awaited<ReturnType<typeof takeTableLock>>): lock is TableLock => "release" in lock;

/** The locks of the table and their drafts, without the directories beside them. */
async function listLocks(state: Parameters<typeof locksOf>[0]): Promise<string[]> {
  return (await readdir(locksOf(state))).filter((name) => name.startsWith("lock"));
}

/** Leaves a lock like another process that described itself so. */
async function leaveLock(
  by: Partial<ReturnType<typeof ownIdentity>>,
): Promise<{ state: StateDirectory; path: string }> {
  const state = await makeState();
  await take(state);
  const [name = ""] = await listLocks(state);
  const path = join(locksOf(state), name);
  await writeFile(path, JSON.stringify({ holder: { ...ownIdentity(), ...by } }));
  return { state, path };
}

describe("a table's lock", () => {
  it("is held by one of many that ask at the same time", async () => {
    const state = await makeState();
    const asked = await Promise.all(Array.from({ length: 20 }, () => take(state)));
    expect(asked.filter(isTaken)).toHaveLength(1);
    expect(asked.find((lock) => !isTaken(lock))).toMatchObject({ pid: process.pid });
  });

  it("can be taken again once it was given back, and leaves one file", async () => {
    const state = await makeState();
    for (let round = 0; round < 5; round++) {
      const lock = await take(state);
      if (!isTaken(lock)) throw new Error("the lock was not free");
      await lock.release();
    }
    expect(await listLocks(state)).toHaveLength(1);
  });

  it("has a number that grows with each holder, also after one that crashed and one that a power failure emptied", async () => {
    const state = await makeState();
    const takeFree = async () => {
      const lock = await take(state);
      if (!isTaken(lock)) throw new Error("the lock was not free");
      return lock;
    };
    const fences: number[] = [];
    for (const end of ["release", "crash", "empty", "release", "release"]) {
      const lock = await takeFree();
      fences.push(lock.fence);
      const [name = ""] = await listLocks(state);
      if (end === "release") await lock.release();
      if (end === "crash")
        await writeFile(
          join(locksOf(state), name),
          JSON.stringify({ holder: { ...ownIdentity(), pid: GONE } }),
        );
      if (end === "empty") await writeFile(join(locksOf(state), name), "");
    }
    expect(fences).toEqual([1, 2, 3, 4, 5]);
    // Another table counts separately.
    expect(await take(state, `${URL}2/`)).toMatchObject({ fence: 1 });
  });

  it("that is not on disk to its end hands on its last whole line, although zeros follow", async () => {
    const { state, path } = await leaveLock({ pid: GONE });
    const journals = { run: 3 };
    const taken = spellState({
      holder: { ...ownIdentity(), pid: GONE },
      journals,
      book: { number: 2, sum: 7 },
    });
    await writeFile(path, Buffer.concat([Buffer.from("\n"), taken, Buffer.alloc(40)]));
    expect(await readJournalLines(locksOf(state), "run")).toBe(3);
    expect(await take(state)).toMatchObject({ found: { number: 2, sum: 7 } });
  });

  it("that others took twice since this process looked is not its own", async () => {
    const state = await makeState();
    const first = await take(state);
    if (!isTaken(first)) throw new Error("the lock was not free");
    await first.release();
    const { link } = fs;
    vi.spyOn(fs, "link").mockImplementationOnce(async (from, to) => {
      // The second of them removed what the first one had made.
      await writeFile(join(locksOf(state), "lock.3"), JSON.stringify({ holder: ownIdentity() }));
      await link(from, to);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(isTaken(await take(state))).toBe(false);
    expect(await listLocks(state)).not.toContain("lock.2");
  });

  it("that is the first one knows the last line of the book only where there is no book", async () => {
    const state = await makeState();
    expect(await take(state)).toMatchObject({ found: { number: 0, sum: 0 } });
    const other = await makeState();
    await mkdir(locksOf(other), { recursive: true });
    await writeFile(join(locksOf(other), "book"), "");
    expect(await take(other)).toMatchObject({ found: undefined });
  });

  it.each<[string, Partial<ReturnType<typeof ownIdentity>>]>([
    ["a process that is gone", { pid: GONE }],
    ["a process whose number another one has now", { startedAt: "1" }],
  ])("of %s is free", async (_, by) => {
    const { state } = await leaveLock(by);
    expect(isTaken(await take(state))).toBe(true);
  });

  it.each(["", "{}", "[]", "5", '{"holder":', "\0\0\0\0"])(
    "that a power failure left as %j is free",
    async (contents) => {
      const { state, path } = await leaveLock({});
      await writeFile(path, contents);
      const lock = await take(state);
      if (!isTaken(lock)) throw new Error("the lock was not free");
      await lock.release();
      expect(isTaken(await take(state))).toBe(true);
    },
  );

  it("of another machine is held while that one says that it lives", async () => {
    const { state, path } = await leaveLock({ host: "elsewhere", space: "other-boot/pid:[1]" });
    expect(isTaken(await take(state))).toBe(false);
    const longAgo = new Date(Date.now() - 3_600_000);
    await utimes(path, longAgo, longAgo);
    expect(isTaken(await take(state))).toBe(true);
  });

  it.each([
    ["free once it was silent for longer than this machine runs", 120, 130_000, true],
    ["held while it spoke since this machine started", 120, 110_000, false],
    ["held while it was silent for less than a minute", 10, 50_000, false],
    ["free after five minutes", 10_000, 301_000, true],
  ])("of a machine of the same name is %s", async (_, seconds, silentMs, isFree) => {
    const { state, path } = await leaveLock({ space: "another-boot/pid:[1]" });
    vi.spyOn(os, "uptime").mockReturnValue(seconds);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const beaten = new Date(Date.now() - silentMs);
    await utimes(path, beaten, beaten);
    expect(isTaken(await take(state))).toBe(isFree);
  });

  it("is said to be alive by the clock of the file system", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const state = await makeState();
    await take(state);
    const path = join(locksOf(state), (await listLocks(state))[0] ?? "");
    const longAgo = new Date(2020, 1, 1);
    await utimes(path, longAgo, longAgo);
    vi.setSystemTime(longAgo);
    await vi.advanceTimersByTimeAsync(25_000);
    await vi.waitFor(async () => expect((await stat(path)).mtimeMs).toBeGreaterThan(longAgo.getTime()));
    expect((await stat(path)).mtime.getFullYear()).toBeGreaterThan(2025);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ holder: ownIdentity() });
  });

  it("that another process took is lost to its holder, who looks again after a gap in either clock", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const takeAndLose = async () => {
      const state = await makeState();
      const lock = await take(state);
      if (!isTaken(lock)) throw new Error("the lock was not free");
      await lock.check();
      await unlink(join(locksOf(state), (await listLocks(state))[0] ?? ""));
      return { lock, state };
    };
    const lost = { kind: "locked", code: "lock-lost" };
    const { lock } = await takeAndLose();
    lock.checkAfterGap();
    await expect(lock.check()).rejects.toMatchObject(lost);
    expect(lock.checkAfterGap).toThrow(expect.objectContaining(lost));
    for (const gap of [
      () => {
        const wall = Date.now();
        vi.advanceTimersByTime(2000);
        vi.setSystemTime(wall);
      },
      () => vi.setSystemTime(Date.now() + 2000),
      () => vi.setSystemTime(Date.now() - 10),
    ]) {
      const { lock, state } = await takeAndLose();
      gap();
      expect(lock.checkAfterGap).toThrow(expect.objectContaining(lost));
      await lock.release();
      expect(await listLocks(state)).toEqual([]);
    }
  });
});
