import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { expectEnd } from "../support/scenario.ts";

const CREATES = "cle,num_commande,note\n,1,a\n,2,BAD\n,3,c\n";
const TYPES = ["-t", "commandes", "--type", "note=text"];

/** A plan of one shard, closed, of which the service refused a create. */
async function closeRefused(csv: string) {
  const world = await openWorld(["status=400,match=BAD"]);
  const { command } = world;
  const directory = await makeDirectory();
  const [file, out] = [join(directory, "orders.csv"), join(directory, "the plan")];
  await writeFile(file, csv);
  const planned = ["--shards", "1", "--out", out, "--atomic-batches"];
  expect((await command(["plan", file, ...TYPES, ...planned])).code).toBe(0);
  expect((await command(["push", "--plan", out, "--shard", "1/1"])).code).toBe(4);
  const closed = await command(["runs", "--plan", out]);
  expect(closed.code).toBe(4);
  const [, rejects = ""] = /they are in (.*)$/m.exec(closed.stdout) ?? [];
  return { ...world, out, rejects, again: () => command([file, ...TYPES]) };
}

describe.each([
  ["creates only", CREATES],
  ["updates too", `${CREATES}K9,9,d\n`],
])("a file with %s of which a closed plan left a create refused", (_, csv) => {
  it("ends with 4 until that row was mended and pushed, and names the plan", async () => {
    const { command, again, rejects, out, numbers } = await closeRefused(csv);
    await expectEnd(again(), 4, `rec-push runs --plan "${out}" says how it ended`);
    await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("BAD", "b"));
    expect((await command([rejects, ...TYPES, "--exports", "delta"])).code).toBe(0);
    expect((await again()).code).toBe(0);
    expect(numbers().filter((number) => number === "2")).toHaveLength(1);
  });

  it("ends with 4 also when the directory of the plan is gone", async () => {
    const { again, out } = await closeRefused(csv);
    await rm(out, { recursive: true });
    expect((await again()).code).toBe(4);
  });
});
