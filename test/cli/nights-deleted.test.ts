import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const HEADER = "num_commande;date_billed;actual_billable_amount";
const ROWS = ["551001;13/07/2016;10,50", "551002;14/07/2016;20,50", "551003;15/07/2016;30,50"];
const csv = (...rows: readonly string[]): string => [HEADER, ...rows, ""].join("\n");

it.each([
  ["none", ["551001;13/07/2016;11,50"], "0 of 1 create taken out of the ledger; it does not hold the 1 with"],
  [
    "one of them",
    ["551001;13/07/2016;11,50", ROWS[1]!],
    "1 of 2 creates taken out of the ledger: a later push creates them again; it does not hold the other 1 with",
  ],
])("ledger remove says that the ledger holds %s of a file's records", async (_, rows, told) => {
  const { command } = await openWorld();
  const orders = await makeFile("orders.csv", csv(...ROWS));
  expect((await command([orders, "-t", "commandes"])).code).toBe(0);
  const deleted = await makeFile("deleted.csv", csv(...rows));
  const { code, stderr } = await command(["ledger", "remove", deleted, "-t", "commandes"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(told) });
});

it("ledger remove takes out a corrected record that got its identity after it was created", async () => {
  const { command, numbers } = await openWorld();
  const identity = ["-t", "commandes", "--exports", "full", "--identify-by", "num_commande"];
  const orders = await makeFile("orders.csv", csv(...ROWS));
  expect((await command([orders, "-t", "commandes"])).code).toBe(0);
  expect((await command(["ledger", "add", orders, ...identity])).code).toBe(0);
  const corrected = "551001;13/07/2016;11,50";
  await writeFile(orders, csv(corrected, ...ROWS.slice(1)));
  expect(await command([orders, ...identity])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("1 create was created before with other values"),
  });
  const deleted = await makeFile("deleted.csv", csv(corrected));
  expect((await command(["ledger", "remove", deleted, ...identity])).stderr).toContain(
    "1 of 1 create taken out of the ledger",
  );
  // No entry without identity is left, which would cause a question.
  await writeFile(orders, csv(corrected, ...ROWS.slice(1), "551004;16/07/2016;40,50"));
  for (const held of [5, 5]) {
    expect((await command([orders, ...identity])).code).toBe(0);
    expect(numbers()).toHaveLength(held);
  }
});
