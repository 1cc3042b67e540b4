import { readdir } from "node:fs/promises";
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

describe("what rec-push runs says of a run", () => {
  it("is its last state, with what is in doubt, from nothing but its journal and the book", async () => {
    const { push, command, sandbox, directoryOf, runs } = await openWorld(FAULTS);
    const file = await makeFile("orders.csv", ROWS);
    expect((await push([file, ...ONE_BY_ONE])).code).toBe(8);
    const [run = ""] = await runs();
    expect((await readdir(directoryOf(run))).filter((name) => name !== "journal-reserve")).toEqual([
      "journal",
    ]);
    const counts = { accepted: 2, refused: 1, failed: 1, inDoubt: 1, notSent: 0 };
    expect((await command(["runs", "--json"])).events()).toMatchObject([
      { run, state: "unfinished", file, ...counts, exitCode: 8 },
    ]);
    const shown = (await command(["runs", run])).stdout;
    expect(shown).toContain("in doubt: 1 create, line 5\n");
    expect(shown).toMatch(new RegExp(`rec-push resume ${run} --in-doubt [0-9a-f]{8}=applied`));
    sandbox.setFaults([]);
    expect((await command(await decisionOn(command, "applied", run))).code).toBe(4);
    expect((await command(["runs", "--json"])).events()).toMatchObject([
      { state: "finished", accepted: 4, assumedApplied: 1, refused: 1, exitCode: 4 },
    ]);
  });
});

describe("the summary", () => {
  it("names what is in doubt, however many rows were refused before", async () => {
    const { push } = await openWorld(["refuse=state:bad", "drop=after,kind=create"]);
    const rows = Array.from({ length: 200 }, (_, at) => `A${at},${at % 2 === 0 ? "bad" : "good"}`);
    const file = await makeFile("orders.csv", `cle,state\n${rows.join("\n")}\n,x\n`);
    const { code, stdout } = await push([file, ...ONE_BY_ONE]);
    expect(stdout).toContain("201 rows read: 100 accepted, 100 refused, 1 in doubt");
    expect(stdout).toContain(`in doubt: 1 create in ${file}, line 202`);
    expect(stdout).toContain("  and more: a push with --results FILE lists every row with its outcome\n");
    expect(code).toBe(8);
  });
});
