import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ROWS = "cle,num_commande,date_billed\nA1,1,2016-07-13\nA2,2,soon\n";

/** A push that left a row to be mended. */
async function openRejected() {
  const world = await openWorld();
  const directory = await makeDirectory();
  const [file, rejects] = [join(directory, "orders.csv"), join(directory, "orders.rejects.csv")];
  await writeFile(file, ROWS);
  const argv = [file, "-t", "commandes", "--on-invalid", "skip", "--quiet"];
  expect((await world.command(argv)).code).toBe(4);
  const [run = ""] = await world.runs();
  const mend = async () =>
    writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("soon", "2016-07-14"));
  return {
    ...world,
    argv,
    file,
    rejects,
    run,
    mend,
    listed: async () => (await world.command(["runs"])).stdout,
  };
}

describe("rec-push runs says of the rows that a finished run left to be mended", () => {
  it("where they are and how to get the command that pushes them, until they are pushed", async () => {
    const { command, run, rejects, mend, listed, numbers } = await openRejected();
    expect(await listed()).toContain(
      `Next: mend the 1 row in ${rejects}; rec-push resume ${run} names the command that pushes that file`,
    );
    const [, words = ""] =
      /push that file: rec-push (.*)$/m.exec((await command(["resume", run])).stdout) ?? [];
    await mend();
    expect(await listed()).toContain("mend the 1 row");
    expect((await command(splitWords(words))).code).toBe(0);
    expect(numbers()).toEqual(["1", "2"]);
    expect(await listed()).not.toContain("mend");
  });

  it("nothing of a command that needs its input, where that was overwritten", async () => {
    const { file, rejects, listed } = await openRejected();
    await writeFile(file, `${ROWS}A3,3,2016-07-15\n`);
    expect(await listed()).toContain(
      `mend the 1 row in ${rejects}, and push that file with the options of its push`,
    );
  });

  it("and resume names their file although it cannot name the command, where the input was overwritten", async () => {
    const { command, file, run, rejects } = await openRejected();
    await writeFile(file, `${ROWS}A3,3,2016-07-15\n`);
    const { code, stderr } = await command(["resume", run]);
    expect(code).toBe(4);
    expect(stderr).toContain(`the rows to mend are in ${rejects}; the command that pushes them is not known`);
    expect(stderr).not.toContain("are not written to files");
  });

  it("nothing, where the rejects of the next export took their place", async () => {
    const { command, argv, file, run, listed } = await openRejected();
    await writeFile(file, `${ROWS}A3,3,2016-07-15\n`);
    expect((await command([...argv, "--exports", "full", "--identify-by", "record"])).code).toBe(4);
    expect((await listed()).match(/mend the 1 row/g)).toHaveLength(1);
    expect((await command(["runs", run])).stdout).not.toContain("mend the 1 row");
  });

  it("the file also to programs", async () => {
    const { command, rejects } = await openRejected();
    const told = JSON.parse((await command(["runs", "--json"])).stdout) as object;
    expect(told).toMatchObject({ state: "finished", rowsToMend: { path: rejects, rows: 1, hasInput: true } });
  });
});
