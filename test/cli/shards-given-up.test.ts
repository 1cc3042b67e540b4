import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HEADER, numbers, openShardWorld, sentNumbers } from "../support/shard-world.ts";
import { makeFile } from "../support/temp-files.ts";

/** A plan of two shards with an invalid row each: the first was killed before it wrote its rejects, the second never began. */
async function killShard() {
  const world = await openShardWorld();
  const { service, plan, start } = world;
  const rows = numbers(40).map((at) => `${at % 2 === 0 ? `K${at}` : ""};${at % 20 === 5 ? "x" : at};1,5\n`);
  const file = await makeFile("orders.csv", HEADER + rows.join(""));
  const words = ["--on-invalid", "skip", "--batch-size", "4", "--concurrency", "2", "--timeout", "1s"];
  expect((await plan([file], 2, words)).code).toBe(0);
  service.stopAfter(8);
  const { child, ended } = start(1, 2);
  while (service.taken.length < 8) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGKILL");
  await ended;
  service.stopAfter(Infinity);
  return { ...world, file };
}

it("the rows to mend of a shard that was killed are written where its plan is given up", async () => {
  const { runs, run, file, service } = await killShard();
  // They are in its part.
  const text = await readFile(file, "utf8");
  await rm(file);
  const { code, stdout, stderr } = await runs(["abandon"]);
  await writeFile(file, text);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("1 row rejected in shards that never began: in no file");
  const [, path = ""] =
    /mend the rows rejected or refused, and push them; they are in (\S+)/.exec(stdout) ?? [];
  expect((await readFile(path, "utf8")).trim().split("\n").slice(1)).toEqual([
    expect.stringMatching(/^7;.*;x;1,5$/),
  ]);
  const again = JSON.parse((await runs(["--json"])).stdout) as object;
  expect(again).toMatchObject({ event: "abandoned", rejects: [path], notices: [] });
  // Creates that the plan announced are left out; the rest of the file is sent.
  const exports = ["--exports", "full", "--identify-by", "record", "--late", "0s", "--on-invalid", "skip"];
  const later = await run([file, "-t", "commandes", ...exports]);
  expect([4, 8]).toContain(later.code);
  const creates = sentNumbers(service.taken.filter((fiche) => fiche["cle"] === undefined));
  expect(new Set(creates).size).toBe(creates.length);
});

it("a plan that is given up says why the rows to mend of a shard could not be written", async () => {
  const { runs, out } = await killShard();
  const part = join(out, "part-0-1.ndjson");
  await writeFile(part, (await readFile(part, "utf8")).replace("1,5", "2,5"));
  const { code, stdout } = await runs(["abandon"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/the rows in doubt and the rejects are not written to files: .*part-0-1\.ndjson/);
  expect(stdout).not.toContain("they are in");
});

it("what a plan that is given up has created is left out of its file with more rows, pushed as delta", async () => {
  const { runs, run, plan, shard, service } = await openShardWorld();
  const rows = (count: number): string =>
    numbers(count)
      .map((at) => `;${at + 1};1,5\n`)
      .join("");
  const delta = ["--exports", "delta"];
  const file = await makeFile("orders.csv", HEADER + rows(40));
  expect((await plan([file], 2, delta)).code).toBe(0);
  expect((await shard(1, 2)).code).toBe(0);
  expect((await runs(["abandon"])).code).toBe(0);
  const grown = await makeFile("grown.csv", HEADER + rows(44));
  expect((await run([grown, "-t", "commandes", ...delta])).code).toBe(0);
  expect(new Set(sentNumbers(service.taken)).size).toBe(44);
  expect(service.taken).toHaveLength(44);
});
