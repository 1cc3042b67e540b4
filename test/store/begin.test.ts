import { readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OpenRun } from "../../src/store/open-run.ts";
import { makeTable, openStateDirectory } from "../../src/store/state-directory.ts";
import { creates } from "../send/support/records.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";
import { toRecords } from "../support/to-record.ts";
import { FACTS, heldWith } from "./run-facts.ts";

const LOST = { outcome: "inDoubt", status: undefined, msg: "lost", attempts: 1, ms: 1 } as const;

/**
 * A run of three creates whose process ended before the book knew it: its journal is on disk, or only so many lines of it.
 */
async function stillborn(lines: number) {
  const sandbox = await openSandbox({ faults: ["status=401,times=1"] });
  const home = makeStateHome();
  const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile("orders.csv", "num_commande\n1\n2\n3\n");
  const push = () => pushTo(sandbox, [file], { env });
  await push();
  const runs = runsIn(join(home, "rec-push"));
  const [run = ""] = await readdir(runs);
  await keepLines(join(runs, run, "journal"), lines);
  const table = await tableIn(join(home, "rec-push"));
  for (const name of await readdir(table))
    if (name !== "runs") await rm(join(table, name), { recursive: true });
  return { sandbox, push, runs, run, command: (argv: readonly string[]) => runMain(argv, { env }) };
}

async function keepLines(path: string, lines: number): Promise<void> {
  const text = await readFile(path, "utf8");
  await truncate(
    path,
    Buffer.byteLength(
      text
        .split(/(?<=\n)/)
        .slice(0, lines)
        .join(""),
    ),
  );
}

describe("a run that is open", () => {
  it("announces creates in its journal, then in the lock, and looks at the lock last", async () => {
    const state = await openStateDirectory(join(await makeDirectory(), "state"));
    await makeTable(state, FACTS.identity);
    const steps: string[] = [];
    const lock = {
      ...heldWith(1),
      noteLines: async (_: string, lines: number) => void steps.push(`${lines} lines`),
      check: async () => void steps.push("look"),
    };
    const run = await OpenRun.begin({ state, lock }, FACTS);
    steps.length = 0;
    await run.announce({ number: 1, kind: "create", records: toRecords(creates(2)) }, Buffer.alloc(32));
    expect(steps).toEqual(["2 lines", "look"]);
    run.settle({ ...LOST, batch: 1, kind: "create", records: toRecords(creates(2)) });
    const { doubt } = run.account;
    expect(await run.decide({ doubt: "00000000", inDoubt: "applied" })).toContain(`in doubt now is ${doubt}`);
    expect(run.account.doubt).toBe(doubt);
    expect(await run.decide({ doubt: doubt!, inDoubt: "applied" })).toBeUndefined();
    expect(run.account.doubt).toBeUndefined();
    await run.close();
  });
});

describe("a run that ended before it had begun", () => {
  it.each([[0], [1], [2]])("blocks nothing (%i lines of its journal)", async (lines) => {
    const { sandbox, push, command } = await stillborn(lines);
    const second = await push();
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining("3 accepted") });
    expect(second.stderr).not.toContain("open");
    expect((await push()).stdout).toContain("3 skipped");
    expect(heldBy(sandbox)).toHaveLength(3);
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });

  it("cannot be resumed beside the run that its content got instead", async () => {
    const { sandbox, push, command, run } = await stillborn(2);
    await push();
    expect((await command(["resume", run])).stderr).toContain("nothing was sent");
    expect(heldBy(sandbox)).toHaveLength(3);
  });

  it("goes with the next push", async () => {
    const { push, command, runs, run } = await stillborn(2);
    await command(["runs", "prune"]);
    expect(await readdir(runs)).toEqual([run]);
    await push();
    expect(await readdir(runs)).toEqual([]);
  });

  it("stays if the book that knew it may be lost", async () => {
    const { sandbox, push, runs } = await stillborn(2);
    sandbox.setFaults(["status=503"]);
    expect((await push()).code).toBe(8);
    const begun = await readdir(runs);
    await rm(join(runs, "..", "book"));
    expect((await push()).code).toBe(1);
    expect(await readdir(runs)).toEqual(begun);
  });
});
