import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cancelDraft, enforcePlan, findPlan } from "../../src/shards/shard-plan.ts";
import { openWorld } from "../support/open-world.ts";
import { expectEnd } from "../support/scenario.ts";
import { HEADER, numbers, openShardWorld } from "../support/shard-world.ts";
import { makeDirectory } from "../support/temp-files.ts";

const rows = (count: number): string =>
  numbers(count)
    .map((at) => `;${at};1,5\n`)
    .join("");

/** A plan of two shards with an invalid row each: the first was killed before it wrote its rejects, the second never began. */
async function killShard() {
  const world = await openShardWorld();
  const rows = numbers(40).map((at) => `${at % 2 === 0 ? `K${at}` : ""};${at % 20 === 5 ? "x" : at};1,5\n`);
  const words = ["--on-invalid", "skip", "--batch-size", "4", "--concurrency", "2", "--timeout", "1s"];
  const { file } = await world.planned(HEADER + rows.join(""), 2, words);
  await world.killed(8);
  return { ...world, file };
}

it("the rows to mend of shards that were killed or never began are named by a later push of the file", async () => {
  const { runs, run, file, creates } = await killShard();
  const { code, stdout, stderr } = await runs(["abandon"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("2 rejected");
  const again = JSON.parse((await runs(["--json"])).stdout) as object;
  expect(again).toMatchObject({ event: "abandoned", rejects: [] });
  // Creates that the plan announced are left out; the rest of the file is sent.
  const exports = ["--exports", "full", "--late", "0s", "--on-invalid", "skip"];
  const later = await run([file, "-t", "commandes", ...exports]);
  expect([4, 8]).toContain(later.code);
  expect(later.stdout).toContain("2 rejected");
  expect(new Set(creates()).size).toBe(creates().length);
});

/** A plan that holds its table and is not in force yet, as its command leaves it if it is killed between the two. */
async function openHold() {
  const world = await openShardWorld();
  const { file } = await world.planned(HEADER + rows(40), 2);
  const at = (name: string): string => join(world.out, name);
  const { plan = "" } = (await findPlan(world.out)) ?? {};
  await rename(at("plan"), at("plan.draft"));
  const push = () => world.run([file, "-t", "commandes", "--late", "0s"]);
  return { ...world, file, at, push, name: plan };
}

it("the hold of a plan that was cut off before it was in force falls with the next push", async () => {
  const { push, service, shard, runs, out } = await openHold();
  expect((await push()).code).toBe(0);
  expect(service.taken).toHaveLength(40);
  // Its command was only paused, and goes on.
  await expect(enforcePlan(out)).rejects.toThrow("ENOENT");
  expect((await shard(1, 2)).code).toBe(2);
  expect((await runs([])).code).toBe(2);
  expect((await push()).code).toBe(0);
  expect(service.taken).toHaveLength(40);
});

it("the hold falls with the command that lists the plan, and with a plan in its place", async () => {
  const { runs, plan, file, at } = await openHold();
  await expectEnd(runs([]), 0, "nothing of it was sent, and the table commandes is free");
  const inJson = await openHold();
  expect(JSON.parse((await inJson.runs(["--json"])).stdout)).toMatchObject({
    event: "plan",
    plan: inJson.name,
    state: "cancelled",
  });
  expect((await plan([file], 2)).code).toBe(0);
  await rename(at("plan"), at("plan.draft"));
  expect((await plan([file], 2)).code).toBe(0);
  expect((await runs([])).code).toBe(9);
});

it("the hold falls after a kill between its two steps too", async () => {
  const { push, out, name } = await openHold();
  expect(await cancelDraft(out, name)).toBe(true);
  expect((await push()).code).toBe(0);
});

it.each<[string, (world: Awaited<ReturnType<typeof openHold>>) => Promise<void>]>([
  ["cannot be read", ({ at }) => writeFile(at("plan.draft"), "")],
  ["is gone", ({ out }) => rm(out, { recursive: true })],
  ["holds another plan", async ({ at }) => writeFile(at("plan.draft"), await otherDraft())],
  ["holds its manifest", ({ at }) => rename(at("plan.draft"), at("plan"))],
])("a hold stays if the directory of its plan %s", async (_, change) => {
  const world = await openHold();
  await change(world);
  await expectEnd(world.push(), 9, "holds the table commandes");
  expect(world.service.taken).toEqual([]);
});

async function otherDraft(): Promise<string> {
  const { at } = await openHold();
  return readFile(at("plan.draft"), "utf8");
}

const ROWS = "cle,num_commande,note\n,1,a\n,2,BAD\n,3,c\nK9,9,d\n";
const TYPES = ["-t", "commandes", "--type", "note=text"];

/** A plan of one shard, closed, of which the service refused a create. */
async function closeRefused() {
  const world = await openWorld(["status=400,match=BAD"]);
  const { command } = world;
  const directory = await makeDirectory();
  const [file, out] = [join(directory, "orders.csv"), join(directory, "the plan")];
  await writeFile(file, ROWS);
  const planned = ["--shards", "1", "--out", out, "--atomic-batches"];
  expect((await command(["plan", file, ...TYPES, ...planned])).code).toBe(0);
  expect((await command(["push", "--plan", out, "--shard", "1/1"])).code).toBe(4);
  const closed = await command(["runs", "--plan", out]);
  expect(closed.code).toBe(4);
  return { ...world, out, file, again: () => command([file, ...TYPES]) };
}

it("a file of which a closed plan left a create refused sends that create again, and no other", async () => {
  const { command, again, out, file, numbers } = await closeRefused();
  await rm(out, { recursive: true });
  const rejects = file.replace(".csv", ".rejects.csv");
  await expectEnd(again(), 4, "1 refused", `mend the 1 row in ${rejects}`);
  await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("BAD", "b"));
  expect((await command([rejects, ...TYPES, "--exports", "delta"])).code).toBe(0);
  expect((await again()).code).toBe(0);
  expect(["1", "2", "3"].map((wanted) => numbers().filter((number) => number === wanted).length)).toEqual([
    1, 1, 1,
  ]);
});
