import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ROWS = "cle,num_commande,date_billed\nA1,1,2016-07-13\nA2,2,soon\n";

/** A push that left a row to be mended. */
async function openRejected(config?: string) {
  const world = await openWorld();
  const directory = await makeDirectory();
  const [file, rejects] = [join(directory, "orders.csv"), join(directory, "orders.rejects.csv")];
  await writeFile(file, ROWS);
  const argv = [file, "-t", "commandes", "--on-invalid", "skip", "--quiet"];
  if (config !== undefined) await writeFile(join(directory, config), "{}", { mode: 0o600 });
  const named = config === undefined ? [] : ["--config", config];
  const { sandbox, home } = world;
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  expect((await runMain([...argv, ...named], { cwd: directory, env })).code).toBe(4);
  const [run = ""] = await world.runs();
  const mend = async () =>
    writeFile(rejects, (await readFile(rejects, "utf8")).replaceAll("soon", "2016-07-14"));
  return {
    ...world,
    directory,
    argv,
    file,
    rejects,
    run,
    mend,
    listed: async () => (await world.command(["runs"])).stdout,
  };
}

describe("rec-push runs says of the rows that a finished run left to be mended", () => {
  it("where they are, and the command that pushes them, until they are pushed", async () => {
    const { command, run, rejects, mend, listed, numbers } = await openRejected();
    const [, words = ""] = new RegExp(
      `mend the 1 row in ${rejects}, then push that file: rec-push (.*)`,
    ).exec(await listed())!;
    expect((await command(["resume", run])).stdout).toContain(`then push that file: rec-push ${words}`);
    await mend();
    expect(await listed()).toContain("mend the 1 row");
    expect((await command(splitWords(words))).code).toBe(0);
    expect(numbers()).toEqual(["1", "2"]);
    expect(await listed()).not.toContain("mend");
  });

  it("the same where the input was overwritten or is gone", async () => {
    const { command, file, run, rejects, listed } = await openRejected();
    const step = `mend the 1 row in ${rejects}, then push that file: rec-push ${rejects} `;
    await writeFile(file, `${ROWS}A3,3,2016-07-15\n`);
    expect(await listed()).toContain(step);
    await rm(file);
    expect(await listed()).toContain(step);
    expect(await command(["resume", run])).toMatchObject({ code: 4, stdout: expect.stringContaining(step) });
  });

  it("a command that works from any directory, with the files that its options name", async () => {
    const { home, sandbox, run, rejects, mend, numbers, directory } = await openRejected("config.json");
    await mend();
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const elsewhere = { cwd: await makeDirectory(), env };
    const [, words = ""] = /then push that file: rec-push (.*)/.exec(
      (await runMain(["runs", run], elsewhere)).stdout,
    )!;
    expect(words).toContain(`${rejects} `);
    expect(words).toContain(`--config ${join(directory, "config.json")}`);
    expect((await runMain(splitWords(words), elsewhere)).code).toBe(0);
    expect(numbers()).toEqual(["1", "2"]);
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
    expect(told).toMatchObject({ state: "finished", rowsToMend: { path: rejects, rows: 1 } });
  });
});
