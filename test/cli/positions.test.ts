import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** Checks two files with the same options. */
async function check(one: string, other: string, argv: readonly string[]) {
  const cwd = await makeDirectory();
  const files = [join(cwd, "a.csv"), join(cwd, "b.csv")];
  await writeFile(files[0]!, `${one}\nA1;one;two\n`);
  await writeFile(files[1]!, `${other}\nB1;two;one\n`);
  return runMain(["check", ...files, "--table", "t", ...argv], { cwd, others: "nothing" });
}

const MAPS = ["--map", "2=remise", "--map", "3=taux"];

describe("positions in the options of several files", () => {
  it.each([
    ["swapped", "cle;Remise (%);Taux !", "cle;Taux !;Remise (%)", MAPS],
    ["moved", "cle;Remise (%);Taux", "cle;Note;remise", ["--drop", "2", "--other-columns", "send"]],
  ])("stop the command where the columns there are %s", async (_, one, other, argv) => {
    const { code, stderr } = await check(one, other, argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /error: column 2, which options name by its position, is "Remise \(%\)" in \S+a\.csv, and ".*" in \S+b\.csv; nothing was sent\n {2}name it by its header/,
    );
  });

  it("stop it where a column there has another name in each file", async () => {
    const { code, stderr } = await check("cle;Juillet;Taux", "cle;Août;Taux", MAPS);
    expect(code).toBe(2);
    expect(stderr).toContain('is "Juillet" in ');
    expect(stderr).toContain("or push the files one after the other");
  });

  it.each([
    ["are the same", "cle;Remise (%);Taux", "CLE;remise %;TAUX", MAPS],
    [
      "are named by numbers",
      "cle;1;2",
      "cle;2;1",
      ["--map", "1=one", "--map", "2=two", "--header-line", "1"],
    ],
    ["have no header", "A0;x;y", "B0;y;x", ["--no-header", "--map", "1=cle", ...MAPS]],
  ])("are fine where the columns %s", async (_, one, other, argv) => {
    expect(await check(one, other, argv)).toMatchObject({ code: 0 });
  });
});

describe("questions about several files", () => {
  it("are not joined to options that exclude each other", async () => {
    const { code, stderr } = await check("cle;Remise (%);Taux !", "cle;Taux !;Remise (%)", []);
    expect(code).toBe(3);
    expect(stderr).toContain("add --map 2=remise --map 3=taux\n");
    expect(stderr).toContain("add --map 2=taux --map 3=remise\n");
    expect(stderr).not.toContain("for all of them: add");
    expect(stderr).toContain("each needs options of its own: push them one after the other");
    const lacking = await check("cle;Client;num_invoice", "cle;Ville;num_invoice", []);
    expect(lacking.stderr).toContain("add --map Client=client\n");
    expect(lacking.stderr).not.toContain("for all of them: add");
    expect(lacking.stderr).toContain("each needs options of its own");
    const alike = await check("cle;Remise (%);Taux !", "cle;Remise (%);Taux !", []);
    expect(alike.stderr).not.toContain("of its own");
  });
});
