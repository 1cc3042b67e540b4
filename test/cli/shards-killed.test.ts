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

type Step = readonly [what: "plan" | "one" | "decide" | "two" | "runs" | "taken", codes: readonly number[]];

/** A plan that is killed may be in force already; if not, its hold falls, and another is made. It has sent nothing. */
const AFTER_PLAN: readonly Step[] = [
  ["plan", [0, 2, 9]],
  ["runs", [9]],
  ["taken", [0]],
];
/** A create that was announced is in doubt, until a person decides. */
const SHARDS: readonly Step[] = [
  ["one", [0, 8]],
  ["decide", [0]],
  ["one", [0]],
  ["two", [0]],
];
const CLOSE: readonly Step[] = [
  ["runs", [0]],
  ["runs", [0]],
];

/** What was done before, the command that is killed, what comes after it, and the distance of its kills by day. */
const KILLS = [
  ["plan", [], "plan", [...AFTER_PLAN, ...SHARDS, ...CLOSE], 15],
  ["shard", ["plan", "two"], "one", [...SHARDS, ...CLOSE], 15],
  ["runs", ["plan", "two", "one"], "runs", CLOSE, 11],
] as const;

/** Lets the commands run to the end after a kill, as an engine and a person do, and judges what the service got. */
async function goOn(
  { service, words, run, env }: Awaited<ReturnType<typeof openWorld>>,
  steps: readonly Step[],
): Promise<void> {
  const doubts: string[] = [];
  for (const [what, codes] of steps) {
    const doubt = doubts.at(-1) ?? "";
    const isRun = what !== "taken" && (what !== "decide" || doubt !== "");
    const argv = what === "decide" ? words.decide(doubt) : what === "taken" ? [] : words[what];
    const end = isRun ? await run(argv) : { code: what === "taken" ? service.taken.length : 0, stdout: "" };
    expect([what, codes]).toEqual([what, expect.arrayContaining([end.code])]);
    if (end.code === 8) doubts.push(doubtIn(end.stdout));
  }
  const creates = sentNumbers(service.taken.filter((fiche) => fiche["cle"] === undefined));
  expect(new Set(creates).size).toBe(creates.length);
  // Some of the creates in doubt may have been announced and not sent; they count as created.
  expect(creates.length).toBeGreaterThanOrEqual(doubts.length > 0 ? ROWS / 4 : ROWS / 2);
  const updates = new Set(sentNumbers(service.taken.filter((fiche) => fiche["cle"] !== undefined)));
  expect(updates).toEqual(new Set(numbers(ROWS).filter((number) => number % 2 === 0)));
  const ledger = await createsInLedger(env.XDG_STATE_HOME);
  expect(ledger.reduce((sum, one) => sum + one, 0)).toBe(ROWS / 2);
  // The table is free, and the ledger knows the whole file.
  service.taken.length = 0;
  expect((await run(words.push)).code).toBe(0);
  expect(service.taken.filter((fiche) => fiche["cle"] === undefined)).toEqual([]);
}

it.each(KILLS)(
  "a process that is killed at any of its file operations loses nothing and sends nothing twice: %s",
  async (_, before, killed, after, step) => {
    const world = await openWorld();
    for (const name of before) expect((await world.run(world.words[name])).code).toBe(0);
    await world.keep();
    let kills = 0;
    for (let at = 1; ; at += atNight ? 1 : step) {
      await world.putBack();
      if (!(await world.isKilled(world.words[killed], at))) break;
      kills += 1;
      await goOn(world, after);
    }
    expect(kills).toBeGreaterThan(2);
  },
  600_000,
);
