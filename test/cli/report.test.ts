import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { expectEnd } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const ROWS = "cle,num_commande,date_billed\nA1,1,13/07/2016\nA2,2,14/07/2016\n";

async function readReport(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
}

describe("--report", () => {
  it("describes a push on one page and as data, readable by its user only", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const page = join(await makeDirectory(), "run.html");
    const data = join(dirname(page), "run.json");
    expect((await push([file, "--report", page])).code).toBe(0);
    expect((await push([file, "--again", "--report", data])).code).toBe(0);
    const text = await readFile(page, "utf8");
    expect(text).toContain('<p class="headline">2 rows read: 2 accepted</p>');
    expect(text).toContain("200 Update Items OK.");
    expect(text).toContain("line 2 &quot;13/07/2016&quot;");
    expect(await readReport(data)).toMatchObject({
      schema: 1,
      state: "ended",
      summary: { read: 2, accepted: 2, exitCode: 0 },
      files: [{ rows: 2, columns: [{}, {}, { format: "DD/MM/YYYY", settledBy: 'line 2 "13/07/2016"' }] }],
    });
    expect((await stat(page)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(page))).toEqual(["run.html", "run.json"]);
  });

  it.each([
    ["invalid rows", "cle,num_commande\nA1,x\nA2,y\nA3,3\n", [], 3, "1 of 3"],
    ["a question", "cle,date_billed\nA1,05/07/2016\n", [], 3, "is 5 July 2016 or 7 May 2016"],
    [
      "rejected rows",
      "cle,num_commande\nA1,x\nA2,y\nA3,3\n",
      ["--on-invalid", "skip"],
      4,
      "more than digits",
    ],
    ["a wrong option", ROWS, ["--batch-size", "none"], 2, "--batch-size"],
  ])("tells %s", async (_, content, argv, exitCode, words) => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", content);
    const [page, data] = [`${file}.html`, `${file}.json`];
    for (const path of [page, data])
      expect((await push([file, "--report", path, ...argv])).code).toBe(exitCode);
    expect(await readReport(data)).toMatchObject({ state: "ended", summary: { exitCode } });
    expect(await readFile(page, "utf8")).toContain(`Exit ${exitCode}, after`);
    expect(await readFile(page, "utf8")).toContain(words.replace("1 of 3", "2 of 3 rows are invalid"));
  });

  it("describes the outcomes of a resumed run", async () => {
    const { push, command } = await openWorld(["status=401,skip=1,times=1"]);
    const file = await makeFile("orders.csv", ROWS);
    const report = `${file}.json`;
    const slow = ["--batch-size", "1", "--concurrency", "1"];
    expect((await push([file, "--report", report, ...slow])).code).toBe(5);
    expect(await readReport(report)).toMatchObject({ summary: { accepted: 1, notSent: 1 } });
    expect((await command(["resume", "--report", report])).code).toBe(0);
    expect(await readReport(report)).toMatchObject({ summary: { accepted: 2 } });
  });

  it("describes a check", async () => {
    const { command } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    expect((await command(["check", file, "--report", `${file}.html`])).code).toBe(0);
    expect(await readFile(`${file}.html`, "utf8")).toContain("2 rows read: 2 ready to send");
  });

  it.each(["html", "json"])("leaves any other .%s file alone, and sends nothing", async (ending) => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const there = `${file}.${ending}`;
    await writeFile(there, "mine");
    const { code, stderr } = await push([file, "--report", there]);
    expect([code, await readFile(there, "utf8")]).toEqual([2, "mine"]);
    expect(stderr).toContain("it does not hold a report of rec-push");
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });

  it.each([
    ["a directory that is not there", () => "/no/such/directory/run.html", "is not a directory"],
    ["another ending", (file: string) => `${file}.pdf`, "expected a name that ends in .html or .json"],
    ["standard output", () => "-", "expected a name that ends in .html or .json"],
  ])("refuses %s before anything is sent", async (_, place, words) => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    await expectEnd(push([file, "--report", place(file)]), 2, words);
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });

  it("refuses a link and the place of the results", async () => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", ROWS);
    const link = `${file}.html`;
    await symlink(file, link);
    expect((await push([file, "--report", link])).stderr).toContain("it is not a regular file");
    const both = `${file}.json`;
    await expectEnd(push([file, "--report", both, "--results", both]), 2, "--results goes there");
    expect(sandbox.store.snapshot("commandes")).toEqual([]);
  });
});
