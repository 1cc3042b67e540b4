import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const WHOLE = "cle;Order No;date_billed;Note\nA1;551035;15/07/2016;x\n";

async function checkAfterInit(content: string, argv: readonly string[] = []) {
  const cwd = await makeDirectory();
  const first = join(cwd, "first.csv");
  await writeFile(first, WHOLE);
  const map = ["--map", "Order No=num_commande", "--drop", "Note"];
  const init = await runMain(["init", first, "--table", "t", ...map], { cwd, others: "nothing" });
  expect(init.code).toBe(0);
  const config = join(cwd, "rec-push.config.json");
  const text = await readFile(config, "utf8");
  await writeFile(config, text.replace(/("date_billed": \{)/, '$1 "required": true,'));
  const file = join(cwd, "next.csv");
  await writeFile(file, content);
  return runMain(["check", file, "--table", "t", ...argv], { cwd, others: "nothing" });
}

describe("a column that the config expects and the file lacks", () => {
  it("is reported if its field is not required", async () => {
    const { code, stderr } = await checkAfterInit("cle;date_billed\nA1;15/07/2016\n");
    expect(stderr).toContain(
      'the config expects a column that the file lacks: "Order No" (num_commande); nothing is sent for it',
    );
    expect(code).toBe(0);
    const quiet = await checkAfterInit("cle;date_billed\nA1;15/07/2016\n", ["--quiet"]);
    expect(quiet.stderr).toContain("the config expects a column that the file lacks");
  });

  it("stops the run if its field is required", async () => {
    const { code, stderr } = await checkAfterInit("cle;Order No\nA1;551035\n");
    expect(stderr).toContain("the field date_billed is required, and no column goes to it");
    expect(code).toBe(3);
  });

  it("stops the run if it is the key, because every row would be a create", async () => {
    const keyless = "Order No;date_billed\n551035;15/07/2016\n";
    const { code, stderr } = await checkAfterInit(keyless);
    expect(stderr).toContain("every row would create a new record");
    expect(code).toBe(3);
    expect((await checkAfterInit(keyless, ["--only", "creates"])).code).toBe(0);
  });

  it("stops, as wrong usage, where the command line names it", async () => {
    const { code, stderr } = await checkAfterInit("cle;date_billed\nA1;15/07/2016\n", ["--drop", "Note"]);
    expect(stderr).toContain("--drop Note: there is no such column");
    expect(stderr).toContain("files with other columns are pushed by a command of their own");
    expect(code).toBe(2);
  });
});

describe("a column that the config does not know", () => {
  it("stops", async () => {
    const { code, stderr } = await checkAfterInit("cle;date_billed;Remise\nA1;15/07/2016;y\n");
    expect(stderr).toContain('column 3 "Remise" is not declared');
    expect(code).toBe(3);
  });
});

describe("a config that init wrote", () => {
  it("finds the header by the names that it declares, below any number of titles", async () => {
    const titles = "Export;;;\n;;;\nEdited;01/01/2016;;\n";
    const { code, stdout } = await checkAfterInit(titles + WHOLE);
    expect(stdout).toContain("header in line 4");
    expect(code).toBe(0);
  });
});
