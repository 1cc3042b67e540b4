import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const IDENTITY = ["-t", "commandes", "--exports", "full", "--identify-by", "num_commande"];

it("a record in doubt that has other values since is in doubt, not created with other values", async () => {
  const { sandbox, command, numbers } = await openWorld();
  const orders = await makeFile("orders.csv", `${HEADER}\n551001;13/07/2016;10,50\n`);
  const results = join(dirname(orders), "results.ndjson");
  sandbox.setFaults(["drop=before,kind=create,times=1"]);
  expect((await command([orders, ...IDENTITY])).code).toBe(8);
  sandbox.setFaults([]);
  await writeFile(orders, `${HEADER}\n551001;13/07/2016;11,50\n`);
  const told = await command([orders, ...IDENTITY, "--results", results]);
  expect(told).toMatchObject({ code: 8, stderr: expect.not.stringContaining("with other values") });
  expect(told.stderr).toContain("is in doubt since the run");
  expect(await readFile(results, "utf8")).toContain("an earlier push left it in doubt");
  const [, run = ""] = /in doubt since the run (\S+?):/.exec(told.stderr) ?? [];
  expect((await command(["resume", run, "--in-doubt", "absent"])).code).toBe(0);
  expect((await command([orders, ...IDENTITY])).code).toBe(0);
  expect(numbers()).toHaveLength(1);
});
