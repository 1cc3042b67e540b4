import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

async function pushWith(config: object, argv: readonly string[] = []) {
  const cwd = await makeDirectory();
  const file = join(cwd, "orders.csv");
  await writeFile(file, "cle,num_commande\nA1,1\n");
  await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify(config), { mode: 0o644 });
  return runMain([file, "--sandbox", ...argv], { cwd });
}

describe("a push without --table", () => {
  it.each([
    ["the only table of the config", { tables: { commandes: {} } }],
    ["its default table", { tables: { clients: {}, commandes: {} }, defaultTable: "commandes" }],
  ])("goes to %s, and says so", async (_, config) => {
    const { code, stdout, stderr } = await pushWith(config);
    expect(code).toBe(0);
    expect(stderr).toContain('rec-push.config.json, table "commandes"');
    expect(stdout).toContain("The sandbox's table commandes now holds 1 record");
  });

  it("stops where the config has several tables", async () => {
    const { code, stderr } = await pushWith({ tables: { clients: {}, commandes: {} } });
    expect(code).toBe(2);
    expect(stderr).toContain("--table NAME, or defaultTable in a config");
  });

  it("stops if the default table is not in the config", async () => {
    const { code, stderr } = await pushWith({ tables: { clients: {} }, defaultTable: "comandes" });
    expect(code).toBe(2);
    expect(stderr).toContain("defaultTable: there is no such table; the tables are clients");
  });

  it("goes where --table says anyway", async () => {
    const config = { tables: { clients: {}, commandes: {} }, defaultTable: "commandes" };
    const { stdout } = await pushWith(config, ["--table", "clients"]);
    expect(stdout).toContain("The sandbox's table clients now holds");
  });
});

describe("a push with two tables", () => {
  it("sends nothing to either, and a table that is named twice is one", async () => {
    const { code, stdout, stderr } = await pushWith({}, ["--table", "commandes", "-t", "factures"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain('error: two tables: "commandes" and "factures"\n  a command has one table');
    const same = await pushWith({}, ["--table", "commandes", "--table=commandes"]);
    expect(same.stdout).toContain("The sandbox's table commandes now holds 1 record");
  });
});
