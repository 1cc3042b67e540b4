import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain, type MainResult } from "../support/run-main.ts";
import { stepLines } from "../support/steps.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

interface Found {
  readonly path: string;
  readonly rows: number;
  readonly later: number;
}

function rejectsIn(result: MainResult): readonly Found[] {
  return result.events().at(-1)!["rejectsFiles"] as readonly Found[];
}

async function lastCells(path: string): Promise<readonly (string | undefined)[]> {
  return (await readFile(path, "utf8"))
    .split("\n")
    .slice(1, -1)
    .map((row) => row.split(",").at(-1));
}

/** Returns a function that pushes with a new state directory. */
async function keeper(sandbox: Sandbox): Promise<(argv: readonly string[]) => Promise<MainResult>> {
  const env = { XDG_STATE_HOME: await makeDirectory() };
  return (argv) => pushTo(sandbox, [...argv, "--json"], { env });
}

const SLOW = ["--concurrency", "1", "--batch-size", "1", "--retries", "0", "--max-failed", "1"];
const ROWS = "cle,num_commande\nA1,x\nA2,2\nA3,3\nA4,y\nA5,5\nA6,6\n";

describe("the rejects of a run", () => {
  it.each([
    ["csv", "cle,num_commande\nA1,1\nA2,x\nA3,7\n"],
    [
      "ndjson",
      '[{"cle":"A1","num_commande":1},{"cle":"A2","num_commande":"x"},{"cle":"A3","num_commande":7}]',
    ],
  ])("lie beside the input, as %s, where nothing is said", async (extension, content) => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:7"] });
    const push = await keeper(sandbox);
    const file = await makeFile("a", content);
    const result = await push([file, "--on-invalid", "skip"]);
    const [found, ...others] = rejectsIn(result);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rows: 2, later: 0 });
    expect(found?.path).toBe(join(dirname(file), `a.rejects.${extension}`));
    expect(stepLines(result.events().at(-1)!["next"])).toEqual([
      expect.stringContaining(`rec-push ${found?.path}`),
    ]);
  });

  it("are complete when the run was resumed, by the same command or by name", async () => {
    for (const how of ["again", "resume"]) {
      const sandbox = await openSandbox({ faults: ["refuse=num_commande:2", "status=503,skip=1"] });
      const env = { XDG_STATE_HOME: await makeDirectory() };
      const file = await makeFile("a.csv", ROWS);
      const path = join(dirname(file), "r.csv");
      const argv = [file, "--on-invalid", "skip", "--rejects", path, ...SLOW];
      const first = await pushTo(sandbox, [...argv, "--json"], { env });
      expect(first.code).toBe(7);
      expect(await lastCells(path)).toEqual(["x", "2", "y"]);
      sandbox.setFaults(["refuse=num_commande:6"]);
      const target = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
      const second =
        how === "again"
          ? await pushTo(sandbox, [...argv, "--json"], { env })
          : await runMain(["resume", "--json"], { env: { ...env, ...target } });
      expect(second.code).toBe(4);
      expect(await lastCells(path)).toEqual(["x", "2", "y", "6"]);
      expect(rejectsIn(second)).toEqual([{ file, path, rows: 4, later: 0 }]);
      expect(heldBy(sandbox).map(({ cle }) => cle)).toEqual(["A3", "A5"]);
    }
  });

  it("are not overwritten once somebody has changed them", async () => {
    const sandbox = await openSandbox({ faults: ["status=503,skip=1"] });
    const push = await keeper(sandbox);
    const file = await makeFile("a.csv", ROWS);
    const path = join(dirname(file), "r.csv");
    const argv = [file, "--on-invalid", "skip", "--rejects", path, ...SLOW];
    expect((await push(argv)).code).toBe(7);
    const mended = (await readFile(path, "utf8")).replace(",x", ",1");
    await writeFile(path, mended);
    sandbox.setFaults([]);
    expect((await push(argv)).code).toBe(4);
    expect(await readFile(path, "utf8")).toBe(mended);
    expect(await lastCells(join(dirname(file), "r-2.csv"))).toEqual(["x", "y"]);
  });

  it("are not those of another run", async () => {
    const sandbox = await openSandbox();
    const push = await keeper(sandbox);
    const path = join(await makeDirectory(), "r.csv");
    const argv = ["--on-invalid", "skip", "--rejects", path];
    expect((await push([await makeFile("a.csv", ROWS), ...argv])).code).toBe(4);
    const before = await readFile(path, "utf8");
    const other = await push([await makeFile("a.csv", ROWS.replace(",x", ",z")), ...argv]);
    expect(other.code).toBe(4);
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await readFile(path.replace("r.csv", "r-2.csv"), "utf8")).toContain(",z");
  });

  it("of a file that was pushed before are named again and count as rejected", async () => {
    const sandbox = await openSandbox();
    const push = await keeper(sandbox);
    const file = await makeFile("a.csv", "cle,num_commande\n,1\n,x\n");
    const argv = [file, "--on-invalid", "skip"];
    const first = await push(argv);
    const results = join(dirname(file), "results.ndjson");
    const second = await push([...argv, "--results", results]);
    expect([first.code, second.code]).toEqual([4, 4]);
    expect(rejectsIn(second)).toEqual(rejectsIn(first));
    const outcomes = (await readFile(results, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(outcomes).toMatchObject([{ outcome: "skipped" }, { outcome: "rejected" }]);
    expect(second.events().at(-1)).toMatchObject({ skipped: 1, rejected: 1 });
  });

  it("that hold creates are named by the later runs of the file, which send updates only", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:7"] });
    const push = await keeper(sandbox);
    const file = await makeFile("a.csv", "cle,num_commande\nA1,1\n,7\n,8\n");
    const first = await push([file, ...SLOW]);
    expect(first.code).toBe(4);
    expect(rejectsIn(first)).toHaveLength(1);
    // The service stops the second run; the third command continues it.
    sandbox.setFaults(["status=503"]);
    const second = await push([file, ...SLOW]);
    sandbox.setFaults([]);
    const third = await push([file, ...SLOW]);
    expect([second.code, third.code]).toEqual([7, 4]);
    expect([rejectsIn(second), rejectsIn(third)]).toEqual([rejectsIn(first), rejectsIn(first)]);
    const { path } = rejectsIn(first)[0]!;
    expect((await push([path])).code).toBe(0);
    const last = await push([file]);
    expect([last.code, rejectsIn(last)]).toEqual([0, []]);
  });
});

describe("the results of a run that was resumed", () => {
  it("have the rows that were settled before", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:2", "status=503,skip=2"] });
    const push = await keeper(sandbox);
    const file = await makeFile("a.csv", ROWS);
    const path = join(dirname(file), "results.ndjson");
    const argv = [file, "--on-invalid", "skip", "--results", path, ...SLOW];
    const outcomes = async (): Promise<readonly unknown[]> =>
      (await readFile(path, "utf8"))
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    expect((await push(argv)).code).toBe(7);
    expect(await outcomes()).toEqual(["rejected", "refused", "accepted", "rejected", "failed", "notSent"]);
    sandbox.setFaults([]);
    const second = await push(argv);
    expect(await outcomes()).toEqual(["rejected", "refused", "accepted", "rejected", "accepted", "accepted"]);
    expect(second.events().at(-1)).toMatchObject({ rejected: 2, refused: 1, accepted: 3 });
  });

  it("say what the user decided about records in doubt", async () => {
    const sandbox = await openSandbox({ faults: ["drop=after,times=1"] });
    const env = { XDG_STATE_HOME: await makeDirectory() };
    const target = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const file = await makeFile("a.csv", "n\n1\n2\n3\n");
    expect((await pushTo(sandbox, [file, ...SLOW], { env })).code).toBe(8);
    const path = join(dirname(file), "results.ndjson");
    const command = (argv: readonly string[]) => runMain(argv, { env: { ...env, ...target } });
    const argv = [...(await decisionOn(command, "applied")), "--results", path];
    expect((await command(argv)).code).toBe(0);
    const found = (await readFile(path, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(found).toMatchObject([
      { line: 2, outcome: "accepted", msg: "taken as applied" },
      { line: 3, outcome: "accepted", msg: "Update Items OK." },
      { line: 4, outcome: "accepted", msg: "Update Items OK." },
    ]);
  });
});
