import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = Array.from({ length: 20 }, (_, at) => `A${at},${at},2024-01-${at + 10},x\n`).join("");
// For a column of dates that ends with a word.
const ONE_TABLE = ["--one-table", "--type", "le=text"];
const TEXT = `cle,rang,le,libelle\n${ROWS}code,ref,jour,texte\nB1,7,2024-02-01,y\n`;

describe("a line of words only below rows of numbers and dates", () => {
  it("stops the run, also with --on-invalid skip, and names the way out", async () => {
    const file = await makeFile("a.csv", TEXT);
    const { code, stderr } = await runMain(["check", file, "--on-invalid", "skip"]);
    expect(code).toBe(3);
    expect(stderr).toContain("a.csv:22: this line holds only words");
    expect(stderr).toContain("--one-table");
  });

  it("stays a row when a run begun with --one-table is resumed", async () => {
    const { push, command, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile("a.csv", TEXT);
    expect((await push([file, ...ONE_TABLE])).code).toBe(5);
    sandbox.setFaults([]);
    expect(await command(["resume"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("22 rows read: 22 accepted"),
    });
  });

  it("is a row with --one-table", async () => {
    const file = await makeFile("a.csv", TEXT);
    const { code, stdout } = await runMain(["check", file, ...ONE_TABLE]);
    expect(code).toBe(0);
    expect(stdout).toContain("22 rows read");
  });
});
