import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = Array.from({ length: 20 }, (_, at) => `A${at},${at},2024-01-${at + 10},x\n`).join("");
const TEXT = `cle,rang,le,libelle\n${ROWS}code,ref,jour,texte\nB1,7,2024-02-01,y\n`;

describe("a line of words only below rows of numbers and dates", () => {
  it("stops the run, also with --on-invalid skip, and names the way out", async () => {
    const file = await makeFile("a.csv", TEXT);
    const { code, stderr } = await runMain(["check", file, "--on-invalid", "skip"]);
    expect(code).toBe(3);
    expect(stderr).toContain("a.csv:22: this line holds words only");
    expect(stderr).toContain("--one-table");
  });

  it("is a row with --one-table", async () => {
    const file = await makeFile("a.csv", TEXT);
    const { code, stdout } = await runMain(["check", file, "--one-table"]);
    expect(code).toBe(0);
    expect(stdout).toContain("22 rows read");
  });
});
