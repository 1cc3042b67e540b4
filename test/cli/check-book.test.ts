import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { creates, faults, nothingSent, scenario, type Step } from "../support/scenario.ts";

const csv = (...rows: readonly string[]): string => ["cle;num_commande", ...rows, ""].join("\n");
const FILES = {
  "a.csv": csv("A1;1", ";2", ";3", ";4"),
  "grown.csv": csv("A1;1", ";2", ";3", ";4", ";5", "A2;7"),
  "mixed.csv": csv(";4", ";5", ";6", ";7"),
};
const CHECK = "check -t commandes";
const asked = (what: string): string => `was asked: a push would send ${what}\n`;
/** All paths of the state directory. */
const stateOf = ({ home }: { readonly home: string }): Promise<string[]> =>
  readdir(join(home, "rec-push"), { recursive: true }).catch(() => []);

describe("a check of files for a table whose service is named", () => {
  scenario("says what a push would send, as the book of the table knows it", FILES, [
    ["push a.csv", 0],
    [`${CHECK} a.csv`, 0, asked("1 update (3 were created before)"), "a.csv was already pushed on"],
    [`${CHECK} grown.csv`, 0, asked("2 updates, 1 create (3 were created before)"), "1 is new"],
    [`${CHECK} grown.csv --exports delta`, 0, asked("2 updates, 4 creates")],
  ]);
  scenario("asks what a push would ask", FILES, [
    ["push a.csv", 0],
    [`${CHECK} mixed.csv`, 3, "mixed.csv: 1 of 4 creates is equal to records created before"],
    [`${CHECK} mixed.csv --exports delta`, 0, asked("4 creates")],
  ]);
  scenario("says what an open run has left, and which rows later ones overtook", FILES, [
    faults("status=401"),
    ["push a.csv", 5],
    [`${CHECK} a.csv`, 0, asked("the 4 records that an open run has left")],
    faults(),
    ["push grown.csv --exports delta", 0],
    [`${CHECK} a.csv`, 0, "1 row (line 2) is passed over", asked("the 3 records that an open run has left")],
  ]);
  let before: readonly string[] = [];
  const note: Step = async (world) => void (before = await stateOf(world));
  scenario("changes nothing, and makes no state where there is none", FILES, [
    [`${CHECK} a.csv`, 0, { not: "was asked" }],
    async (world) => expect(await stateOf(world)).toEqual([]),
    nothingSent,
    ["push a.csv", 0],
    note,
    [`${CHECK} grown.csv`, 0],
    async (world) => expect(await stateOf(world)).toEqual(before),
  ]);
  scenario("asks nothing without a table, as any other check", FILES, [
    ["push a.csv", 0],
    ["check a.csv", 0, { not: "was asked" }],
  ]);
});

it("a table that another process pushes to is left alone, with exit 9, or waited for with --wait-lock", async () => {
  const { file, start, command, numbers, runs } = await openWorld(["latency=5000,times=1"]);
  const first = start([await file("first.csv", creates(16, 1000)), "-t", "commandes"]);
  // From its beginning until its first answer, the first push holds the table.
  await expect.poll(async () => (await runs()).length, { interval: 5, timeout: 60_000 }).toBe(1);
  const [run = ""] = await runs();
  const second = await file("second.csv", creates(16, 2000));
  for (const argv of [
    [second, "-t", "commandes"],
    ["runs", "abandon", run],
  ]) {
    const { code, stderr, events } = await command([...argv, "--json"]);
    expect([code, stderr]).toEqual([9, expect.stringContaining(`process ${first.child.pid}`)]);
    expect(events().at(-1)).toMatchObject({ event: "summary", exitCode: 9, safeToRerun: true });
  }
  expect((await command([second, "-t", "commandes"])).stderr).toContain("--wait-lock");
  expect(await command([second, "-t", "factures"])).toMatchObject({ code: 0 });
  expect(await command([second, "-t", "commandes", "--wait-lock", "1m"])).toMatchObject({ code: 0 });
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(numbers()).toHaveLength(32);
  expect(numbers().findIndex((number) => Number(number) >= 2000)).toBe(16);
});
