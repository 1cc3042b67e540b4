import { dirname, join } from "node:path";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

/** What programs write for no value in each kind of field. */
const CASES: readonly (readonly [string, unknown, string])[] = [
  ["date_billed", "0000-00-00 00:00:00", '--null "0000-00-00 00:00:00"'],
  ["date_billed", "0001-01-01T00:00:00", "--null 0001-01-01T00:00:00"],
  ["date_billed", false, "--null false"],
  ["actual_billable_amount", false, "--null false"],
  ["num_commande", false, "--null false"],
];

describe("a value that means none", () => {
  it.each(CASES)(
    "is left out by the option that is printed, or by the config: %s %j",
    async (field, value, option) => {
      const content = JSON.stringify([
        { cle: "A1", [field]: value, num_invoice: "1" },
        { cle: "A2", [field]: field === "date_billed" ? "2016-07-05" : 12, num_invoice: "2" },
      ]);
      const file = await makeFile("orders.json", content);
      const cwd = dirname(file);
      const check = (...argv: string[]) => runMain(["check", file, "--table", "t", ...argv], { cwd });
      const asked = await check();
      expect(asked.code).toBe(3);
      expect(asked.stderr).toContain(`${option}, if it means no value in every column`);
      expect((await check("--null", String(value))).code).toBe(0);
      const config = { tables: { t: { fields: { [field]: { null: [String(value)] } } } } };
      await writeFile(join(cwd, "rec-push.config.json"), JSON.stringify(config));
      expect((await check()).code).toBe(0);
    },
  );
});
