import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastJournals } from "../support/run-main.ts";
import { openWorld } from "../support/open-world.ts";
import { makeFile } from "../support/temp-files.ts";
import { runsIn, tableIn } from "../support/table-parts.ts";

const creates = (from: number, count: number): string =>
  ["num_commande", ...Array.from({ length: count }, (_, at) => from + at), ""].join("\n");
const MIXED = "cle,num_commande\nA1,551035\n,551036\nA2,551037\n,551038\n";

describe("content that was pushed before", () => {
  it("is named as left out with --quiet too", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", creates(1000, 6));
    await push([file]);
    const second = await push([file, "--quiet"]);
    expect(second).toMatchObject({ code: 0, stdout: "" });
    expect(second.stderr).toMatch(/orders\.csv was already pushed on .*left out.*--again/);
    expect(numbers()).toHaveLength(6);
  });

  it("sends its updates again, so that the service holds the values of the last push", async () => {
    const { push, sandbox } = await openWorld();
    const first = await makeFile("f.csv", MIXED);
    await push([first]);
    await push([await makeFile("g.csv", "cle,num_commande\nA1,2\nA2,2\n")]);
    const { code, stdout, stderr } = await push([first]);
    expect(code).toBe(0);
    expect(stdout).toContain("4 rows read: 2 accepted, 2 skipped");
    expect(stderr).toContain("only its updates are sent, its 2 creates are left out");
    const held = sandbox.store.snapshot("commandes");
    expect(held).toHaveLength(4);
    expect(held.find(({ cle }) => cle === "A1")?.["num_commande"]).toBe("551035");
  });

  it("shows its creates as skipped in the results", async () => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("f.csv", MIXED);
    await push([file]);
    const results = join(dirname(file), "results.ndjson");
    const second = await push([file, "--results", results, "--json"]);
    expect(second.events().at(-1)).toMatchObject({ read: 4, accepted: 2, skipped: 2, exitCode: 0 });
    const outcomes = (await readFile(results, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { outcome: string; msg: string });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["accepted", "skipped", "accepted", "skipped"]);
    expect(outcomes[1]?.msg).toContain("created before");
    expect(sandbox.store.snapshot("commandes")).toHaveLength(4);
  });

  it("leaves its creates out of a run that was cut off and is resumed", async () => {
    const { push, command, sandbox } = await openWorld();
    const file = await makeFile("f.csv", MIXED);
    await push([file]);
    sandbox.setFaults(["status=401"]);
    expect((await push([file])).code).toBe(5);
    sandbox.setFaults([]);
    expect(await command(["resume"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("4 rows read: 2 accepted, 2 skipped"),
    });
    expect(sandbox.store.snapshot("commandes")).toHaveLength(4);
  });

  it("is other content for another value of --query, and the same for equal ones in any order", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", creates(1000, 6));
    await push([file, "--query", "tenant=a", "--query", "x=1"]);
    expect((await push([file, "--query", "tenant=b", "--query", "x=1"])).stdout).toContain("6 accepted");
    expect((await push([file, "--query", "x=1", "--query", "tenant=a"])).stdout).toContain("6 skipped");
    expect(numbers()).toHaveLength(12);
  });

  it("is not resumed for another value of --query", async () => {
    const { push, command, sandbox, numbers } = await openWorld(["status=401"]);
    await push([await makeFile("orders.csv", creates(1000, 6)), "--query", "tenant=a"]);
    sandbox.setFaults([]);
    const { code, stderr } = await command(["resume", "--query", "tenant=b"]);
    expect(code).toBe(2);
    expect(stderr).toContain("other values of --query");
    expect(numbers()).toEqual([]);
    expect((await command(["resume", "--query", "tenant=a"])).code).toBe(0);
  });

  it("does not reveal the values of --query", async () => {
    const { push, home, runs } = await openWorld();
    await push([await makeFile("orders.csv", creates(1000, 6)), "--query", "tenant=canary-tenant"]);
    const [run = ""] = await runs();
    const state = join(home, "rec-push");
    const journal = lastJournals.get(join(runsIn(state), run, "journal"))!.toString();
    expect(journal).toContain("queryNames");
    expect(journal).not.toContain("canary");
    expect(await readFile(join(await tableIn(state), "book"), "utf8")).not.toContain("canary");
  });
});

describe("the rejects of content that was pushed before", () => {
  it("are named again, and their command creates nothing twice", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", `${creates(1000, 207)}x\n`);
    const argv = [file, "--on-invalid", "skip"];
    expect((await push(argv)).code).toBe(4);
    const { code, stdout, stderr } = await push(argv);
    expect(code).toBe(4);
    expect(stdout + stderr).not.toContain("run the same command again");
    expect(stdout).toContain("The earlier push left rows to be mended");
    const [, path = ""] = /mend the 1 row in (\S+), then push that file: rec-push/.exec(stdout) ?? [];
    await writeFile(path, (await readFile(path, "utf8")).replace(/x$/m, "5000"));
    expect((await push([path])).stdout).toContain("1 row read: 1 accepted");
    expect(numbers()).toHaveLength(208);
    expect(new Set(numbers()).size).toBe(208);
  });

  it("end with exit 4 until they were mended and pushed, also beside updates, which are sent again", async () => {
    const { push, sandbox, command, runs } = await openWorld();
    const file = await makeFile("orders.csv", MIXED);
    sandbox.setFaults(["status=400,match=551036"]);
    const argv = [file, "--batch-size", "1", "--concurrency", "1"];
    const first = await push(argv);
    const [run = ""] = await runs();
    sandbox.setFaults([]);
    expect(first).toMatchObject({ code: 4, stdout: expect.stringContaining("refused: 1 create") });
    for (const more of [[], ["--quiet"]]) {
      const again = await push([...argv, ...more]);
      expect(again.code).toBe(4);
      expect(again.stdout).toContain("4 rows read: 2 accepted, 2 skipped");
      expect(again.stdout).toContain("The earlier push left rows to be mended.");
      expect(again.stdout).toMatch(/Next: mend the 1 row in \S+orders\.rejects\.csv/);
    }
    // The later pushes sent the updates only.
    expect((await command(["runs", run])).stdout).toMatch(/Next: mend the 1 row in \S+orders\.rejects\.csv/);
    expect((await command([join(dirname(file), "orders.rejects.csv"), "--table", "commandes"])).code).toBe(0);
    const { code, stdout } = await push(argv);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining("Next")]);
    expect(sandbox.store.snapshot("commandes")).toHaveLength(4);
  });

  it("are named no more if they are updates that a later push has sent: pushing them would be refused", async () => {
    const { push, command, runs, sandbox } = await openWorld(["status=400,match=551035"]);
    const file = await makeFile("orders.csv", MIXED);
    const argv = [file, "--batch-size", "1", "--concurrency", "1"];
    expect(await push(argv)).toMatchObject({ code: 4, stdout: expect.stringContaining("refused: 1 update") });
    const [first = ""] = await runs();
    expect((await command(["runs", first])).stdout).toContain("mend the 1 row");
    sandbox.setFaults([]);
    const again = await push(argv);
    expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining("Next")]);
    expect((await command(["runs", first])).stdout).not.toContain("mend");
    expect((await command(["resume", first])).stdout).toMatch(/Next: nothing: those rows were mended/);
    expect(sandbox.store.snapshot("commandes")).toHaveLength(4);
  });

  it("are named as long as no later push has come to their updates", async () => {
    const { push, command, runs, sandbox } = await openWorld(["status=400,match=551037"]);
    const file = await makeFile("orders.csv", MIXED);
    const argv = [file, "--batch-size", "1", "--concurrency", "1"];
    expect((await push(argv)).code).toBe(4);
    const [first = ""] = await runs();
    sandbox.setFaults(["status=401,match=551037"]);
    expect(await push(argv)).toMatchObject({ code: 5, stdout: expect.stringMatching(/mend the 1 row in /) });
    expect((await command(["runs", first])).stdout).toContain("mend the 1 row");
    sandbox.setFaults([]);
    expect((await push(argv)).code).toBe(0);
    expect((await command(["runs", first])).stdout).not.toContain("mend");
  });

  it("are named no more once they were mended and pushed to the end: exit 0", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", `${creates(1000, 3)}x\ny\n`);
    const argv = [file, "--on-invalid", "skip", "--header-line", "1"];
    expect((await push(argv)).code).toBe(4);
    const path = join(dirname(file), "orders.rejects.csv");
    const rejects = await readFile(path, "utf8");
    await writeFile(path, rejects.replace(/x$/m, "5000"));
    // One of them is rejected once more.
    expect((await push([path, "--on-invalid", "skip", "--rejects", join(dirname(file), "r.csv")])).code).toBe(
      4,
    );
    expect((await push(argv)).code).toBe(4);
    await writeFile(path, rejects.replace(/x$/m, "5000").replace(/y$/m, "5001"));
    expect((await push([path, "--exports", "delta"])).code).toBe(0);
    const { code, stdout, stderr } = await push(argv);
    expect(code).toBe(0);
    expect(stderr).toContain("the rows that it left were mended and pushed since");
    expect(stdout).toContain("5 rows read: 5 skipped");
    expect(numbers()).toHaveLength(5);
  });

  it("that are gone are reported as done if they were pushed", async () => {
    const { push, runs } = await openWorld();
    const file = await makeFile("orders.csv", `${creates(1000, 3)}x\n`);
    const argv = [file, "--on-invalid", "skip", "--header-line", "1"];
    await push(argv);
    const [run = ""] = await runs();
    await rm(join(dirname(file), "orders.rejects.csv"));
    const { code, stdout } = await push(argv);
    expect(code).toBe(4);
    expect(stdout).toContain(`Next: nothing, if the rows that the run ${run} left were mended and pushed`);
  });
});

describe("a run whose journal is lost", () => {
  const LOSSES: readonly [string, (directory: string) => Promise<void>][] = [
    ["its directory is gone", (directory) => rm(directory, { recursive: true })],
    ["its journal is gone", (directory) => rm(join(directory, "journal"))],
    ["its journal is empty", (directory) => truncate(join(directory, "journal"))],
  ];
  const TWO_BATCHES = ["--batch-size", "80", "--concurrency", "1"];

  async function lose(lose: (directory: string) => Promise<void>) {
    const world = await openWorld(["status=401,skip=1"]);
    const file = await makeFile("orders.csv", creates(1000, 400));
    await world.push([file, ...TWO_BATCHES]);
    world.sandbox.setFaults([]);
    const [run = ""] = await world.runs();
    await lose(world.directoryOf(run));
    return { ...world, file, run };
  }

  it.each(LOSSES)("never counts as finished (%s): exit 1, nothing sent", async (_, how) => {
    const { push, file, run, numbers } = await lose(how);
    const held = numbers().length;
    const { code, stderr } = await push([file]);
    expect(code).toBe(1);
    expect(stderr).toContain(run);
    expect(stderr).toContain(`rec-push runs forget ${run}`);
    expect(numbers()).toHaveLength(held);
  });

  it.each(LOSSES)(
    "is not given up by name, and goes on once it is said what it created (%s)",
    async (_, how) => {
      const { push, command, file, run, numbers } = await lose(how);
      const held = numbers().length;
      expect((await command(["runs", "abandon", run])).code).toBe(1);
      const grown = await makeFile("grown.csv", creates(1000, 410));
      for (const name of [file, grown]) expect((await push([name])).code).toBe(1);
      expect(numbers()).toHaveLength(held);
      const there = await makeFile("there.csv", `num_commande\n${numbers().join("\n")}\n`);
      expect((await command(["ledger", "add", there, "--table", "commandes"])).code).toBe(0);
      expect((await push([grown, "--exports", "full", "--identify-by", "record"])).code).toBe(0);
      expect(new Set(numbers()).size).toBe(410);
      expect(numbers()).toHaveLength(410);
    },
  );

  it("does not matter if it held updates only", async () => {
    const { push, runs, directoryOf, sandbox } = await openWorld(["status=401"]);
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\n");
    await push([file]);
    sandbox.setFaults([]);
    const [run = ""] = await runs();
    await rm(directoryOf(run), { recursive: true });
    expect((await push([file])).stdout).toContain("1 accepted");
  });
});

describe("creates in a table that has creates of other content", () => {
  it.each<[string, string, readonly string[]]>([
    ["updates only", "cle,num_commande\nA1,2\n", []],
    ["another --run-key", creates(1, 3), ["--run-key", "shop-2"]],
    ["another --query", creates(1, 3), ["--query", "tenant=b"]],
    ["another table", creates(1, 3), ["--table", "factures"]],
  ])("are of no concern where the push has %s", async (_, content, options) => {
    const { push } = await openWorld();
    await push([await makeFile("a.csv", creates(100, 5))]);
    const other = await push([await makeFile("b.csv", content), ...options]);
    expect(other).toMatchObject({ code: 0, stderr: expect.not.stringContaining("created before") });
  });

  it("do not matter for mended rejects, which were not created", async () => {
    const { push } = await openWorld();
    const file = await makeFile("a.csv", `${creates(1, 3)}x\n`);
    await push([file, "--on-invalid", "skip", "--header-line", "1"]);
    const path = join(dirname(file), "a.rejects.csv");
    await writeFile(path, (await readFile(path, "utf8")).replace(/x$/m, "5000"));
    expect(await push([path])).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("created before"),
    });
  });
});

describe("--run-key", () => {
  it.each(["", " "])("is refused empty (%j): it would be an identity of its own", async (runKey) => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("a.csv", creates(1, 3));
    expect(await push([file, "--run-key", runKey])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--run-key " ?": expected a text/),
    });
    expect(numbers()).toEqual([]);
  });
});
