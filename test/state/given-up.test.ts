import { mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GivenUp } from "../../src/state/given-up.ts";
import { takeTableLock, type TableLock } from "../../src/state/table-lock.ts";

const URL = "http://service.example/api/items/commandes/";

describe("updates that were given up", () => {
  it("are known to the next holder, with the run if all are of one", () => {
    const clock = { ms: 1000 };
    const one = new GivenUp(undefined, () => clock.ms);
    expect([one.earlierAgoMs(), one.spell()]).toEqual([undefined, {}]);
    one.note("A");
    clock.ms += 500;
    // A holder's own given-up updates are not those of an earlier holder.
    expect([one.earlierAgoMs(), one.spell()]).toEqual([undefined, { givenUp: { agoMs: 500, run: "A" } }]);
    const two = new GivenUp(one.spell().givenUp, () => clock.ms);
    clock.ms += 250;
    expect([two.earlierAgoMs(), two.earlierAgoMs("B"), two.earlierAgoMs("A")]).toEqual([750, 750, undefined]);
    expect(two.spell()).toEqual({ givenUp: { agoMs: 750, run: "A" } });
    two.note("A");
    expect(two.spell()).toEqual({ givenUp: { agoMs: 0, run: "A" } });
    two.note("B");
    expect(two.spell()).toEqual({ givenUp: { agoMs: 0 } });
    expect(new GivenUp({ agoMs: 86_400_000 }).earlierAgoMs()).toBeUndefined();
  });
});

describe("the lock of a table", () => {
  it("hands them on, also by a holder that gave none up", async () => {
    const locks = await mkdtemp(join(tmpdir(), "rec-push-locks-"));
    const first = await take(locks);
    expect(first.givenUp.earlierAgoMs()).toBeUndefined();
    first.givenUp.note("A");
    await first.release();
    await (await take(locks)).release();
    const third = await take(locks);
    expect(third.givenUp.earlierAgoMs()).toBeGreaterThanOrEqual(0);
    expect(third.givenUp.earlierAgoMs("A")).toBeUndefined();
    await third.release();
  });

  it.each([
    ["killed", JSON.stringify({ pid: 999_999, space: "b/p", host: "gone", startedAt: "1" })],
    ["emptied by a power failure", ""],
  ])("counts from a beat after the last word of a holder that was %s", async (_, text) => {
    const locks = await mkdtemp(join(tmpdir(), "rec-push-locks-"));
    await (await take(locks)).release();
    const [name = ""] = await readdir(locks);
    await writeFile(join(locks, name), text);
    const before = new Date(Date.now() - 600_000);
    await utimes(join(locks, name), before, before);
    const next = await take(locks);
    expect(next.givenUp.earlierAgoMs("A")).toBeGreaterThanOrEqual(579_000);
    expect(next.givenUp.earlierAgoMs("A")).toBeLessThan(590_000);
    await next.release();
  });
});

async function take(locks: string): Promise<TableLock> {
  const lock = await takeTableLock(locks, URL);
  if (!("release" in lock)) throw new Error("it is held");
  return lock;
}
