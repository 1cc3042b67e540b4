import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";

const FAULTS = [
  "refuse=num_commande:551001",
  "status=500,match=551002",
  "drop=after,kind=create,times=1",
] as const;
/** Lines 2 to 4 are updates, the last two rows creates. */
const ROWS = "cle,num_commande\nA0,551000\nA1,551001\nA2,551002\n,551003\n,551004\n";
const ONE_BY_ONE = ["--batch-size", "1", "--concurrency", "1", "--retries", "0"];

describe("the report of a run", () => {
  it("holds every stretch that was refused, failed or is in doubt, readable by its owner only", async () => {
    const { push, directoryOf, runs } = await openWorld(FAULTS);
    const file = await makeFile("orders.csv", ROWS);
    expect((await push([file, ...ONE_BY_ONE])).code).toBe(8);
    const [run = ""] = await runs();
    const path = join(directoryOf(run), "report.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(directoryOf(run))).filter((name) => name.startsWith("."))).toEqual([]);
    const report = JSON.parse(await readFile(path, "utf8")) as { stretches: unknown[] };
    expect(report).toMatchObject({
      run,
      state: "unfinished",
      file,
      read: 5,
      accepted: 2,
      refused: 1,
      failed: 1,
      inDoubt: 1,
      notSent: 0,
      exitCode: 8,
    });
    expect(report.stretches).toMatchObject([
      { outcome: "refused", kind: "update", first: 3, last: 3, rows: 1, status: 400 },
      { outcome: "failed", kind: "update", first: 4, last: 4, rows: 1, status: 500 },
      { outcome: "inDoubt", kind: "create", first: 5, last: 5, rows: 1, attempts: 1 },
    ]);
  });

  it.each([
    [FAULTS[0], { outcome: "refused", first: 3, status: 400 }],
    [FAULTS[1], { outcome: "failed", first: 4, status: 500 }],
    [FAULTS[2], { outcome: "inDoubt", first: 5, attempts: 1 }],
  ])("holds the one kind of stretch that there is: %s", async (fault, stretch) => {
    const { push, directoryOf, runs } = await openWorld([fault]);
    await push([await makeFile("orders.csv", ROWS), ...ONE_BY_ONE]);
    const [run = ""] = await runs();
    const report = JSON.parse(await readFile(join(directoryOf(run), "report.json"), "utf8")) as object;
    expect(report).toMatchObject({ stretches: [stretch] });
  });

  it("is named by rec-push runs, and shows the last state", async () => {
    const { push, command, sandbox, directoryOf, runs } = await openWorld(FAULTS);
    await push([await makeFile("orders.csv", ROWS), ...ONE_BY_ONE]);
    const [run = ""] = await runs();
    const path = join(directoryOf(run), "report.json");
    const shown = (await command(["runs", run])).stdout;
    expect(shown).toContain(`Report: ${path}\n`);
    expect(shown).toContain("in doubt: 1 create, line 5\n");
    expect(shown).toMatch(new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=applied`));
    sandbox.setFaults([]);
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(4);
    const report = JSON.parse(await readFile(path, "utf8")) as { stretches: unknown[] };
    expect(report).toMatchObject({
      state: "finished",
      accepted: 4,
      assumedApplied: 1,
      refused: 1,
      exitCode: 4,
    });
    expect(report.stretches).toMatchObject([{ outcome: "refused", first: 3 }]);
  });

  it("and the summary name what is in doubt, however many rows were refused before", async () => {
    const { push } = await openWorld(["refuse=state:bad", "drop=after,kind=create"]);
    const rows = Array.from({ length: 200 }, (_, at) => `A${at},${at % 2 === 0 ? "bad" : "good"}`);
    const file = await makeFile("orders.csv", `cle,state\n${rows.join("\n")}\n,x\n`);
    const { code, stdout } = await push([file, ...ONE_BY_ONE]);
    expect(stdout).toContain("201 rows read: 100 accepted, 100 refused, 1 in doubt");
    expect(stdout).toContain(`in doubt: 1 create in ${file}, line 202`);
    expect(code).toBe(8);
  });
});
