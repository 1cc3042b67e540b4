import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { nothingSent, scenario, type ScenarioWorld, type Step } from "../support/scenario.ts";

const FILES = { "orders.csv": "cle,num_commande\nA1,1\nA2,2\n" };
const PUSH = "push orders.csv --log-file @push.log";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

const linesOf = async ({ directory }: ScenarioWorld): Promise<readonly string[]> =>
  (await readFile(join(directory, "push.log"), "utf8")).split("\n").slice(0, -1);
const tellsItsRunOnce: Step = async (world) =>
  expect(
    (await linesOf(world)).filter((line) => /Z run \S+: table commandes at http/.test(line)),
  ).toHaveLength(1);

describe("--log-file", () => {
  scenario("gets everything that would be shown, with the time of each line, even with --quiet", FILES, [
    [`${PUSH} --quiet --delimiter ,`, 0, /^\n$/],
    async (world) => {
      const found = await linesOf(world);
      for (const line of found) expect(line).toMatch(TIME);
      expect(found.at(-1)).toMatch(/Z exit 0$/);
      expect(found.join("\n")).toMatch(
        /orders\.csv: CSV with[\s\S]*update .* 200 Update[\s\S]*2 rows read: 2 accepted/,
      );
      expect((await stat(join(world.directory, "push.log"))).mode & 0o777).toBe(0o600);
    },
    tellsItsRunOnce,
  ]);
  scenario("is appended to, as events with --json, each with its time and the number of its form", FILES, [
    [`${PUSH} --json`, 0],
    [`${PUSH} --json`, 0],
    async (world) => {
      const events = (await linesOf(world)).map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(events.filter(({ event }) => event === "summary")).toHaveLength(2);
      for (const { schema, time } of events)
        expect([schema, `${String(time)} `]).toEqual([1, expect.stringMatching(TIME)]);
      const times = events.map(({ time }) => String(time));
      expect(times).toEqual(times.toSorted());
    },
  ]);
  scenario("holds no secrets", FILES, [
    [`${PUSH} --verbose -H 'X-Key: not-for-logs' --query k=hidden-too`, 0],
    async (world) => expect((await linesOf(world)).join("\n")).not.toMatch(/not-for-logs|hidden-too/),
    tellsItsRunOnce,
  ]);
  scenario("that cannot be opened stops the push before anything is sent", FILES, [
    ["push orders.csv --log-file /no/such/log", 2, "the log cannot go to /no/such/log: ENOENT"],
    nothingSent,
  ]);
  if (process.platform === "linux")
    scenario("on a full disk stops no push, and says so once", FILES, [
      ["push orders.csv --log-file /dev/full", 0],
      ({ last }) => expect(last.stderr.match(/the log \/dev\/full is not complete: ENOSPC/g)).toHaveLength(1),
    ]);
});
