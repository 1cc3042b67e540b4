import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileURLToPath } from "node:url";
import { doubtIn } from "../support/decide.ts";
import { atNight } from "../support/draws.ts";
import { runMain } from "../support/run-main.ts";
import { createsInLedger, mixed, numbers, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

const KILL_AT_WRITE = fileURLToPath(new URL("../chaos/nights/kill-at-write.mjs", import.meta.url));

const ROWS = 24;

/** A file that is planned and pushed by two shards, whose state can be put back to what it was. */
async function openWorld() {
  const { service, env, out, directory, run } = await openShardWorld();
  const file = await makeFile("orders.csv", mixed(ROWS));
  const words = {
    plan: [
      "plan",
      file,
      "-t",
      "commandes",
      "--shards",
      "2",
      "--out",
      out,
      "--batch-size",
      "4",
      "--late",
      "0s",
    ],
    one: ["push", "--plan", out, "--shard", "1/2"],
    two: ["push", "--plan", out, "--shard", "2/2"],
    runs: ["runs", "--plan", out],
    decide: (doubt: string) => ["resume", "--plan", out, "--shard", "1/2", "--in-doubt", `${doubt}=applied`],
    push: [file, "-t", "commandes", "--late", "0s"],
  };
  const places = [out, env.XDG_STATE_HOME];
  const kept = places.map((_, at) => join(directory, `kept-${at}`));
  let taken = [...service.taken];
  return {
    service,
    env,
    words,
    /** Runs in this process, which takes a tenth of the time. */
    run: (argv: readonly string[]) => runMain(argv, { env, others: "nothing" }),
    /** Runs in a process that is killed before or after its n-th file operation; true if it came so far. */
    async isKilled(argv: readonly string[], at: number): Promise<boolean> {
      const more = {
        NODE_OPTIONS: `--import ${KILL_AT_WRITE}`,
        NIGHTS_KILL_AT: String(at),
        NIGHTS_KILL_AFTER: String(at % 2),
      };
      return (await run(argv, more)).signal !== null;
    },
    async keep(): Promise<void> {
      for (const [at, place] of places.entries())
        await cp(place, kept[at]!, { recursive: true }).catch(() => undefined);
      taken = [...service.taken];
    },
    async putBack(): Promise<void> {
      for (const [at, place] of places.entries()) {
        await rm(place, { recursive: true, force: true });
        await cp(kept[at]!, place, { recursive: true }).catch(() => undefined);
      }
      service.taken.splice(0, Infinity, ...taken);
    },
  };
}

/** What was done before, the command that is killed, and the distance of its kills by day. */
const KILLS = [
  ["plan", [], "plan", 9],
  ["shard", ["plan", "two"], "one", 13],
  ["runs", ["plan", "two", "one"], "runs", 7],
] as const;

it.each(KILLS)(
  "a process that is killed at any of its file operations loses nothing and sends nothing twice: %s",
  async (_, before, killed, step) => {
    const world = await openWorld();
    const { service, words, run } = world;
    for (const name of before) expect((await run(words[name])).code).toBe(0);
    await world.keep();
    let kills = 0;
    for (let at = 1; ; at += atNight ? 1 : step) {
      await world.putBack();
      if (!(await world.isKilled(words[killed], at))) break;
      kills += 1;
      if (killed === "plan") {
        // It may be in force already, or the next command puts it in force.
        expect([0, 2, 9]).toContain((await run(words.plan)).code);
        expect((await run(words.runs)).code).toBe(9);
        expect(service.taken).toEqual([]);
      }
      let isDecided = false;
      if (killed !== "runs") {
        const again = await run(words.one);
        expect([0, 8]).toContain(again.code);
        isDecided = again.code === 8;
        if (isDecided) expect((await run(words.decide(doubtIn(again.stdout)))).code).toBe(0);
        expect((await run(words.one)).code).toBe(0);
        expect((await run(words.two)).code).toBe(0);
      }
      expect((await run(words.runs)).code).toBe(0);
      expect((await run(words.runs)).code).toBe(0);
      const creates = sentNumbers(service.taken.filter((fiche) => fiche["cle"] === undefined));
      expect(new Set(creates).size).toBe(creates.length);
      // Some of the creates in doubt may have been announced and not sent; they count as created.
      expect(creates.length).toBeGreaterThanOrEqual(isDecided ? ROWS / 4 : ROWS / 2);
      const updates = new Set(sentNumbers(service.taken.filter((fiche) => fiche["cle"] !== undefined)));
      expect(updates).toEqual(new Set(numbers(ROWS).filter((number) => number % 2 === 0)));
      const ledger = await createsInLedger(world.env.XDG_STATE_HOME);
      expect(ledger.reduce((sum, one) => sum + one, 0)).toBe(ROWS / 2);
      // The table is free, and the ledger knows the whole file.
      service.taken.length = 0;
      expect((await run(words.push)).code).toBe(0);
      expect(service.taken.filter((fiche) => fiche["cle"] === undefined)).toEqual([]);
    }
    expect(kills).toBeGreaterThan(3);
  },
  600_000,
);
