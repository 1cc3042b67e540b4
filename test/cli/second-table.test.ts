import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

const ROWS = Array.from({ length: 20 }, (_, at) => `A${at},${at},2024-01-${at + 10},x\n`).join("");
const HEAD = `cle,rang,le,libelle\n${ROWS}`;

describe("a line of words only below rows of numbers and dates", () => {
  it("stops the run, also with --on-invalid skip, and names both ways out", async () => {
    const file = await makeFile("a.csv", `${HEAD}code,ref,jour,texte\nB1,7,2024-02-01,y\n`);
    const { code, stderr } = await runMain(["check", file, "--on-invalid", "skip"]);
    expect(code).toBe(3);
    expect(stderr).toContain("a.csv:22: this line holds only words");
    expect(stderr).toContain(
      "split the file there; if it is a row like the others, mend the cells that should be numbers and dates",
    );
    await writeFile(file, HEAD);
    expect((await runMain(["check", file])).code).toBe(0);
  });
});

describe("a line of names that a blank line sets apart", () => {
  it("is a row once the blank line is gone, as the hint says", async () => {
    const text = "cle,nom\nC1,Dupont\nC2,Martin\n\nclient,ville\nX9,Paris\n";
    const file = await makeFile("a.csv", text);
    const { code, stderr } = await runMain(["check", file, "--other-columns", "send"]);
    expect(code).toBe(3);
    expect(stderr).toContain("a.csv:5: this line is set apart from the rows above");
    expect(stderr).toContain("if it is a row like the others, delete the blank line above it");
    await writeFile(file, text.replace("\n\n", "\n"));
    expect((await runMain(["check", file, "--other-columns", "send"])).stderr).not.toContain("set apart");
  });
});
