import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GivenUp, type GivenUpAt, type TableLock } from "../../src/store/held-lock.ts";
import { placeOfTable, placesIn } from "../../src/store/state-directory.ts";
import { takeTableLock } from "../../src/store/table-lock.ts";
import { makeDirectory } from "../support/temp-files.ts";

const GONE = { pid: 999_999, space: "b/p", host: "gone", startedAt: "1" };
const URL = "http://service.example/api/items/commandes/";

describe("updates that were given up", () => {
  it("are known to the next holder, by run", () => {
    const clock = { ms: 1000 };
    // The clock of the file system is ahead of that of the process by 5000.
    const holder = (found?: GivenUpAt): GivenUp => new GivenUp(found, clock.ms + 5000, () => clock.ms);
    const one = holder();
    expect([one.earlierAgoMs(), one.spell()]).toEqual([undefined, {}]);
    one.note("A", 200);
    clock.ms += 500;
    // A holder's own given-up updates are not those of an earlier holder.
    expect([one.earlierAgoMs(), one.spell()]).toEqual([undefined, { givenUp: { A: 5800 } }]);
    // An earlier one that is noted later changes nothing.
    one.note("A", 1500);
    expect(one.spell()).toEqual({ givenUp: { A: 5800 } });
    const two = holder(one.spell().givenUp);
    clock.ms += 250;
    expect([two.earlierAgoMs(), two.earlierAgoMs("B"), two.earlierAgoMs("A")]).toEqual([950, 950, undefined]);
    // What was found is handed on as it is.
    expect(two.spell()).toEqual({ givenUp: { A: 5800 } });
    two.note("A", 0);
    expect(two.spell()).toEqual({ givenUp: { A: 6750 } });
    two.note("B", 0);
    expect(two.spell()).toEqual({ givenUp: { A: 6750, B: 6750 } });
    expect(holder({ A: 6750 - 86_400_000 }).earlierAgoMs()).toBeUndefined();
    expect(holder({ A: 99_000 }).earlierAgoMs()).toBe(0);
  });
});

describe("the lock of a table", () => {
  it("hands them on, also by a holder that gave none up", async () => {
    const locks = await makeDirectory();
    const first = await take(locks);
    expect(first.givenUp.earlierAgoMs()).toBeUndefined();
    first.givenUp.note("A", 0);
    await first.release();
    await (await take(locks)).release();
    const third = await take(locks);
    expect(third.givenUp.earlierAgoMs()).toBeGreaterThanOrEqual(0);
    expect(third.givenUp.earlierAgoMs("A")).toBeUndefined();
    await third.release();
  });

  it.each<[string, readonly string[] | undefined, GivenUpAt, readonly (number | undefined)[]]>([
    ["sent nothing and found nothing", undefined, {}, [undefined, undefined]],
    ["sent updates of one run", ["A"], {}, [undefined, 595]],
    ["sent updates of two runs", ["A", "B"], {}, [595, 595]],
    ["sent nothing and found some of a run", undefined, { A: -700 }, [undefined, 700]],
    ["sent nothing and found some of several", [], { A: -900, B: -700 }, [700, 700]],
    ["sent updates of the run that it found", ["A"], { A: -700 }, [undefined, 595]],
    ["sent updates of another run", ["B"], { A: -700 }, [595, 595]],
  ])(
    "of a holder that was killed and %s says how long ago: of other runs, of all",
    async (_, sending, found, agos) => {
      const nowMs = Date.now();
      const givenUp = Object.fromEntries(Object.entries(found).map(([run, at]) => [run, nowMs + at * 1000]));
      // It was killed while it noted a run: that one had sent nothing.
      const text = `\n${JSON.stringify({ holder: GONE, givenUp, sending })}\n{"holder":${JSON.stringify(GONE)},"sen`;
      const next = await takeAfter(text);
      // Without the time that the test itself has taken; the beats of a file system may be rounded to a second.
      const wrong = [next.givenUp.earlierAgoMs("A"), next.givenUp.earlierAgoMs()].filter((ms, at) => {
        const ago = agos[at];
        if (ms === undefined || ago === undefined) return ms !== ago;
        return ms < ago * 1000 - 1000 || ms > ago * 1000 + 1000 + (Date.now() - nowMs);
      });
      expect(wrong).toEqual([]);
      await next.release();
    },
  );

  it("is left by a killed holder with the runs whose updates it sent, and beats before that say nothing", async () => {
    const locks = await makeDirectory();
    const lock = await take(locks);
    const path = join(locksIn(locks), (await listLocks(locks))[0]!);
    const stateNow = async (): Promise<unknown> =>
      JSON.parse((await readFile(path, "utf8")).trim().split("\n").at(-1)!);
    expect(await stateNow()).not.toHaveProperty("sending");
    await Promise.all([lock.noteSending("A"), lock.noteSending("A"), lock.noteSending("B")]);
    expect(await stateNow()).toMatchObject({ sending: ["A", "B"] });
    expect((await readFile(path, "utf8")).split("\n").filter((line) => line !== "")).toHaveLength(3);
    await lock.release();
    expect(await stateNow()).toEqual({ journals: {}, book: { number: 0, sum: 0 } });
  });

  it("is not made anew by a holder that lost it", async () => {
    const locks = await makeDirectory();
    const lock = await take(locks);
    const path = join(locksIn(locks), (await listLocks(locks))[0]!);
    await rm(path);
    await expect(lock.noteSending("A")).rejects.toMatchObject({ code: "lock-lost" });
    await lock.release();
    expect(await listLocks(locks)).toEqual([]);
    expect(lock.checkAfterGap).toThrow(expect.objectContaining({ code: "lock-lost" }));
  });
});

/** The locks of a table and their drafts, without the directories beside them. */
const listLocks = async (tables: string): Promise<string[]> =>
  (await readdir(locksIn(tables))).filter((name) => name.startsWith("lock"));

const locksIn = (tables: string): string => placeOfTable({ tables }, { url: URL });

/** Takes the lock of a holder that has written nothing for ten minutes and left this. */
async function takeAfter(text: string): Promise<TableLock> {
  const locks = await makeDirectory();
  await (await take(locks)).release();
  const [name = ""] = await listLocks(locks);
  await writeFile(join(locksIn(locks), name), text);
  const before = new Date(Date.now() - 600_000);
  await utimes(join(locksIn(locks), name), before, before);
  return take(locks);
}

async function take(tables: string): Promise<TableLock> {
  const lock = await takeTableLock({ ...placesIn(tables), tables }, { url: URL });
  if (!("release" in lock)) throw new Error("it is held");
  return lock;
}
