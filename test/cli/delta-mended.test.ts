import { readFile, writeFile } from "node:fs/promises";
import { join, dirname } from "node:path";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const DELTA = ["-t", "commandes", "--exports", "delta"];
const rows = (count: number, day = "13"): string[] =>
  Array.from({ length: count }, (_, at) => `${551_001 + at};${at < 2 ? day : "13"}/07/2016;${10 + at},50`);
const csv = (lines: readonly string[]): string => [HEADER, ...lines, ""].join("\n");

/** A world in which a push of six creates has rejected the first two, whose rejects file is mended. */
async function pushWithRejects() {
  const world = await openWorld();
  const orders = await makeFile("orders.csv", csv(rows(6, "32")));
  const first = await world.command([orders, ...DELTA, "--on-invalid", "skip"]);
  expect(first.code).toBe(4);
  const rejects = join(dirname(orders), "orders.rejects.csv");
  const text = await readFile(rejects, "utf8");
  await writeFile(rejects, text.replaceAll("32/07", "13/07"));
  return { ...world, orders, rejects };
}

it("mended rejects are not created again from the whole file, once that was mended and pushed", async () => {
  const { command, numbers, orders, rejects } = await pushWithRejects();
  await writeFile(orders, csv(rows(8)));
  expect((await command([orders, ...DELTA])).code).toBe(0);
  expect(numbers()).toHaveLength(8);
  const mended = await command([rejects, ...DELTA, "--delimiter", "semicolon"]);
  expect(mended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("2 of 2 creates were created before"),
  });
  expect(numbers()).toHaveLength(8);
});

it("the mended whole file does not create again what its mended rejects created", async () => {
  const { command, numbers, orders, rejects } = await pushWithRejects();
  expect((await command([rejects, ...DELTA, "--delimiter", "semicolon"])).code).toBe(0);
  expect(numbers()).toHaveLength(6);
  await writeFile(orders, csv(rows(8)));
  expect((await command([orders, ...DELTA])).code).toBe(0);
  expect(new Set(numbers()).size).toBe(8);
  expect(numbers()).toHaveLength(8);
});

it("the next file may hold all rows again of a command that left some of one of its files", async () => {
  const { command, numbers } = await openWorld();
  const first = await makeFile("a.csv", csv(rows(3, "32")));
  const second = await makeFile("b.csv", csv(rows(6).slice(3)));
  expect((await command([first, second, ...DELTA, "--on-invalid", "skip"])).code).toBe(4);
  expect(numbers()).toHaveLength(4);
  const next = await makeFile("c.csv", csv(rows(8)));
  expect((await command([next, ...DELTA])).code).toBe(0);
  expect(numbers()).toHaveLength(8);
});

it("the next file may hold all rows again of a plan that left some in one of its shards", async () => {
  const { plan, shard, runs, run, service } = await openShardWorld();
  const file = await makeFile("orders.csv", csv(rows(6, "32")));
  const words = ["--exports", "delta", "--on-invalid", "skip"];
  expect((await plan([file], 2, words)).code).toBe(0);
  const ends = [await shard(1, 2), await shard(2, 2)];
  expect(ends.map(({ code }) => code)).toEqual([4, 0]);
  expect((await runs()).code).toBe(4);
  const next = await makeFile("next.csv", csv(rows(8)));
  expect((await run([next, ...DELTA])).code).toBe(0);
  expect(sentNumbers(service.taken)).toEqual(rows(8).map((_, at) => 551_001 + at));
});

it("a resumed run does not create what a later delta push has created since", async () => {
  const { command, numbers, sandbox } = await openWorld(["status=401,kind=create,skip=1"]);
  const orders = await makeFile("orders.csv", csv(rows(6)));
  expect((await command([orders, ...DELTA, "--batch-size", "2"])).code).toBe(5);
  sandbox.setFaults([]);
  // One row is corrected, so the stopped run stays open.
  await writeFile(orders, csv([...rows(5), "551006;13/07/2016;99,00"]));
  expect((await command([orders, ...DELTA])).code).toBe(0);
  expect(numbers()).toHaveLength(6);
  await writeFile(orders, csv(rows(6)));
  expect((await command(["resume"])).code).toBe(0);
  // Only the row that was corrected is another record.
  expect(numbers()).toHaveLength(7);
});

it("mended rejects without their first columns are known by their place", async () => {
  const { command, numbers, orders, rejects } = await pushWithRejects();
  await writeFile(orders, csv(rows(8)));
  expect((await command([orders, ...DELTA])).code).toBe(0);
  await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll(/^(?:[^;]*;){3}/gm, ""));
  expect((await command([rejects, ...DELTA, "--delimiter", "semicolon"])).code).toBe(0);
  expect(numbers()).toHaveLength(8);
});

it("mended rejects that equal a record of an earlier delta file are created", async () => {
  const { command, numbers } = await openWorld();
  const before = await makeFile("before.csv", csv(rows(2)));
  expect((await command([before, ...DELTA])).code).toBe(0);
  const orders = await makeFile("orders.csv", csv(rows(6, "32")));
  expect((await command([orders, ...DELTA, "--on-invalid", "skip"])).code).toBe(4);
  const rejects = join(dirname(orders), "orders.rejects.csv");
  await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("32/07", "13/07"));
  expect((await command([rejects, ...DELTA, "--delimiter", "semicolon"])).code).toBe(0);
  expect(numbers()).toHaveLength(8);
});
