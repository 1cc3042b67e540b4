import { describe, expect, it } from "vitest";
import { fileURLToPath } from "node:url";
import { doubtIn } from "../support/decide.ts";
import { createsInLedger, mixed, numbers, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";
import { atNight } from "../support/draws.ts";

const KILL_AT_WRITE = fileURLToPath(new URL("../chaos/nights/kill-at-write.mjs", import.meta.url));

const ROWS = 24;

/** The environment with which a process is killed before its n-th file operation. */
function killAt(at: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${KILL_AT_WRITE}`,
    NIGHTS_KILL_AT: String(at),
  };
}

/**
 * Lets the commands run to the end, each again until it ends in order, as an engine does; `command` is killed once, at
 * before the n-th thing that it does to files. False if it ended before that.
 */
async function tryKill(command: "plan" | "shard" | "runs", at: number): Promise<boolean> {
  const { service, plan, shard, runs, run, env, out } = await openShardWorld();
  const file = await makeFile("orders.csv", mixed(ROWS));
  const more = (one: typeof command) => (one === command ? killAt(at) : {});
  const first = await plan([file], 2, ["--batch-size", "4", "--late", "1s"], more("plan"));
  const isPlanned = first.signal === null;
  const planned = isPlanned ? first : await plan([file], 2, ["--batch-size", "4", "--late", "1s"]);
  // After a kill the plan may be in force already, or its hold is put in force by the next command.
  expect(isPlanned ? [0] : [0, 2, 9]).toContain(planned.code);
  expect((await runs()).code).toBe(9);
  expect(service.taken).toEqual([]);
  const pushed = await shard(1, 2, [], more("shard"));
  const again = await shard(1, 2);
  expect(pushed.signal === null ? [0] : [0, 8]).toContain(again.code);
  const decided =
    again.code === 8
      ? await run([
          "resume",
          "--plan",
          out,
          "--shard",
          "1/2",
          "--in-doubt",
          `${doubtIn(again.stdout)}=applied`,
        ])
      : again;
  expect(decided.code).toBe(0);
  expect((await shard(1, 2)).code).toBe(0);
  expect((await shard(2, 2)).code).toBe(0);
  const closed = await runs([], more("runs"));
  expect((await runs()).code).toBe(0);
  expect((await runs()).code).toBe(0);
  const creates = sentNumbers(service.taken.filter((fiche) => fiche["cle"] === undefined));
  expect(new Set(creates).size).toBe(creates.length);
  // One of the creates in doubt may have been announced and not sent; it counts as created.
  expect(creates.length).toBeGreaterThanOrEqual(again.code === 8 ? ROWS / 4 : ROWS / 2);
  const updates = new Set(sentNumbers(service.taken.filter((fiche) => fiche["cle"] !== undefined)));
  expect(updates).toEqual(new Set(numbers(ROWS).filter((number) => number % 2 === 0)));
  const ledger = await createsInLedger(env.XDG_STATE_HOME);
  expect(ledger.reduce((sum, one) => sum + one, 0)).toBe(ROWS / 2);
  // The table is free, and the ledger knows the whole file.
  service.taken.length = 0;
  expect((await run([file, "-t", "commandes", "--late", "0s"])).code).toBe(0);
  expect(service.taken.filter((fiche) => fiche["cle"] === undefined)).toEqual([]);
  return [first, pushed, closed].some(({ signal }) => signal !== null);
}

describe("a process that is killed at any of its file operations", () => {
  it.each([
    ["plan", 9],
    ["shard", 13],
    ["runs", 6],
  ] as const)(
    "loses nothing and sends nothing twice: %s",
    async (command, step) => {
      let killed = 0;
      for (let at = 1; ; at += atNight ? step : step * 3) {
        if (!(await tryKill(command, at))) break;
        killed += 1;
      }
      expect(killed).toBeGreaterThan(1);
    },
    600_000,
  );
});
