import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
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
  return { ...world, out, file, again: () => command([file, ...TYPES]) };
}

it.each([
  ["creates only", CREATES],
  ["updates too", `${CREATES}K9,9,d\n`],
])(
  "a file with %s of which a closed plan left a create refused sends that create again, and no other",
  async (_, csv) => {
    const { command, again, out, file, numbers } = await closeRefused(csv);
    await rm(out, { recursive: true });
    const rejects = file.replace(".csv", ".rejects.csv");
    await expectEnd(again(), 4, "1 refused", `mend the 1 row in ${rejects}`);
    await writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("BAD", "b"));
    expect((await command([rejects, ...TYPES, "--exports", "delta"])).code).toBe(0);
    expect((await again()).code).toBe(0);
    expect(["1", "2", "3"].map((wanted) => numbers().filter((number) => number === wanted).length)).toEqual([
      1, 1, 1,
    ]);
  },
);
