import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openWorld } from "../support/open-world.ts";
import type { MainResult } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const SKIP = ["--on-invalid", "skip"];
const ORDERS = "cle,num_commande\nA1,1\nA2,x\n,3\n,y\n";
const IDENTITY = ["--exports", "full", "--identify-by", "num_commande"];

function inOrder(one = "", other = ""): number {
  return one < other ? -1 : 1;
}

async function filesBeside(file: string): Promise<readonly string[]> {
  return (await readdir(dirname(file))).filter((name) => name !== basename(file)).sort();
}

function beside(file: string, name: string): string {
  return join(dirname(file), name);
}

/** The words after `rec-push` of the command that pushes a mended file. */
function mendIn({ stdout }: MainResult): readonly string[] {
  const command = /then push that file[^:]*: rec-push (.*)/.exec(stdout)?.[1] ?? "";
  return command.split(" ").map((word) => word.replaceAll("'", ""));
}

async function mend(path: string): Promise<void> {
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/x$/m, "2").replace(/y$/m, "4"));
}

describe("rejects without --rejects", () => {
  it("are beside the input, and the printed command pushes them when they are mended", async () => {
    const { push, command, numbers } = await openWorld();
    const file = await makeFile("orders.csv", ORDERS);
    const first = await push([file, ...SKIP]);
    expect(first.code).toBe(4);
    expect(await filesBeside(file)).toEqual(["orders.rejects.csv"]);
    await mend(beside(file, "orders.rejects.csv"));
    expect(await command(mendIn(first))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 rows read: 2 accepted"),
    });
    expect(numbers().toSorted(inOrder)).toEqual(["1", "2", "3", "4"]);
  });

  it.each([
    ["orders.csv.gz", gzipSync(ORDERS), "orders.rejects.csv"],
    ["orders", ORDERS, "orders.rejects.csv"],
    ["orders.txt", ORDERS, "orders.rejects.txt"],
    [
      "orders.json",
      '[{"cle":"A1","num_commande":"x"},{"cle":"A2","num_commande":"1"}]',
      "orders.rejects.ndjson",
    ],
    ["orders.rejects.csv", ORDERS, "orders.rejects-2.csv"],
  ])("of %s are named after it", async (name, content, rejects) => {
    const { push } = await openWorld();
    const file = await makeFile(name, content);
    expect((await push([file, ...SKIP])).code).toBe(4);
    expect(await filesBeside(file)).toEqual([rejects]);
  });

  it("are completed there by the same command, and by a resume", async () => {
    for (const how of ["again", "resume"]) {
      const { push, command, sandbox } = await openWorld(["refuse=num_commande:1", "status=503,skip=1"]);
      const slow = ["--concurrency", "1", "--batch-size", "1", "--retries", "0", "--max-failed", "1"];
      const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\nA3,3\nA4,4\n");
      expect((await push([file, ...SKIP, ...slow])).code).toBe(7);
      sandbox.setFaults(["refuse=num_commande:4"]);
      const second = how === "again" ? await push([file, ...SKIP, ...slow]) : await command(["resume"]);
      expect(second.code).toBe(4);
      expect(await filesBeside(file)).toEqual(["orders.rejects.csv"]);
      const rows = (await readFile(beside(file, "orders.rejects.csv"), "utf8")).split("\n").slice(1, -1);
      expect(rows.map((row) => row.split(",")[0])).toEqual(["2", "3", "5"]);
    }
  });

  it("go to the run's directory, with a notice, for standard input and if they cannot be beside the input", async () => {
    const { push, runs, directoryOf, command, numbers } = await openWorld();
    const long = await makeFile(`${"o".repeat(245)}.csv`, ORDERS);
    for (const [file, stdin] of [
      ["-", ORDERS.replace("A1", "B1")],
      [long, ""],
    ] as const) {
      const first = await push([file, ...SKIP, "--exports", "delta"], { stdin });
      expect(first.code).toBe(4);
      const [, path = ""] = /mend the 2 rows in (\S+), then push that file/.exec(first.stdout) ?? [];
      expect((await runs()).map((run) => join(directoryOf(run), "rejects.csv"))).toContain(path);
      const [known = ""] = await readFile(path, "utf8").then((text) => text.split("\n"));
      expect(known).toBe("_rejected_line,_rejected_field,_rejected_reason,_later_line,cle,num_commande");
      await mend(path);
      await command([...mendIn(first), "--again"]);
    }
    expect(numbers().filter((number) => number === "4")).toHaveLength(2);
    expect(await filesBeside(long)).toEqual([]);
  });

  it("go to the run's directory if their file is one of the state directory", async () => {
    const { push, runs, directoryOf, home } = await openWorld();
    const file = join(home, "rec-push", "kept.csv");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, ORDERS);
    expect((await push([file, ...SKIP])).code).toBe(4);
    expect(await readdir(directoryOf((await runs())[0]!))).toContain("rejects.csv");
  });

  it("are written neither by check nor by a rehearsal", async () => {
    const { command } = await openWorld();
    const file = await makeFile("orders.csv", ORDERS);
    const config = await makeFile("c.json", '{"tables":{"commandes":{"rejects":"r"}}}');
    const options = [file, ...SKIP, "--table", "commandes"];
    expect((await command(["check", ...options])).code).toBe(4);
    expect((await command([...options, "--sandbox", "--config", config], { REC_PUSH_URL: "" })).code).toBe(4);
    expect(await filesBeside(file)).toEqual([]);
    expect(await filesBeside(config)).toEqual([]);
  });
});

describe("a file that already has the name of the rejects", () => {
  it("stays as it is: the rejects get a number, with a notice", async () => {
    const { push, command, numbers } = await openWorld();
    const file = await makeFile("orders.csv", ORDERS);
    const foreign = beside(file, "orders.rejects.csv");
    await writeFile(foreign, "mine\n");
    const first = await push([file, ...SKIP]);
    expect(first.stderr).toContain(`${foreign} already exists and is left as it is`);
    expect(await readFile(foreign, "utf8")).toBe("mine\n");
    await mend(beside(file, "orders.rejects-2.csv"));
    expect((await command(mendIn(first))).code).toBe(0);
    expect(numbers().toSorted(inOrder)).toEqual(["1", "2", "3", "4"]);
  });

  it("keeps the rows of another night and of another table, and equal ones of its table are not written twice", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", "cle,num_commande\n,x\nA1,1\n");
    const night = async (content: string, more: readonly string[] = []) => {
      await writeFile(file, content);
      expect((await push([file, ...SKIP, ...more])).code).toBe(4);
      return filesBeside(file);
    };
    const first = "cle,num_commande\n,x\nA1,1\n";
    expect(await night(first)).toEqual(["orders.rejects.csv"]);
    const both = ["orders.rejects-2.csv", "orders.rejects.csv"];
    expect(await night(first, ["--table", "factures"])).toEqual(both);
    expect(await night("cle,num_commande\n,x\nA1,2\n")).toEqual(both);
    expect(await night("cle,num_commande\n,y\nA1,2\n")).toEqual([
      "orders.rejects-2.csv",
      "orders.rejects-3.csv",
      "orders.rejects.csv",
    ]);
  });

  it("is used again by the same content pushed again with the same rejects, unless somebody changed it", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    for (let night = 0; night < 3; night++) expect((await push([file, ...SKIP])).code).toBe(4);
    expect(await filesBeside(file)).toEqual(["orders.rejects.csv"]);
    const path = beside(file, "orders.rejects.csv");
    await writeFile(path, `${await readFile(path, "utf8")}A9,9\n`);
    expect((await push([file, ...SKIP])).code).toBe(4);
    expect(await readFile(path, "utf8")).toContain("A9,9");
    expect(await filesBeside(file)).toEqual(["orders.rejects-2.csv", "orders.rejects.csv"]);
  });

  it("stays as it is until somebody has mended it, also if each export holds the earlier rows again", async () => {
    const { push } = await openWorld();
    const file = await makeFile("orders.csv", "num_commande\n1\nx\n");
    const night = async (content: string): Promise<readonly string[]> => {
      await writeFile(file, content);
      expect((await push([file, ...SKIP, ...IDENTITY, "--header-line", "1"])).code).toBe(4);
      return filesBeside(file);
    };
    expect(await night("num_commande\n1\nx\n")).toEqual(["orders.rejects.csv"]);
    const before = await readFile(beside(file, "orders.rejects.csv"), "utf8");
    expect(await night("num_commande\n1\nx\n2\ny\n")).toEqual(["orders.rejects-2.csv", "orders.rejects.csv"]);
    expect(await readFile(beside(file, "orders.rejects.csv"), "utf8")).toBe(before);
    expect((await readFile(beside(file, "orders.rejects-2.csv"), "utf8")).split("\n")).toHaveLength(4);
  });

  it("is not overwritten if it is that of a later night and an older run is resumed", async () => {
    const { push, command, sandbox, runs } = await openWorld(["status=503"]);
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    expect((await push([file, ...SKIP, ...IDENTITY, "--retries", "0"])).code).toBe(7);
    const [older = ""] = await runs();
    sandbox.setFaults([]);
    await writeFile(file, "cle,num_commande\nA3,1\nA4,y\n");
    expect((await push([file, ...SKIP, ...IDENTITY])).code).toBe(4);
    const path = beside(file, "orders.rejects-2.csv");
    expect(await readFile(path, "utf8")).toContain("A4,y");
    await writeFile(file, "cle,num_commande\nA1,1\nA2,x\n");
    sandbox.setFaults(["refuse=num_commande:1"]);
    expect((await command(["resume", older])).code).toBe(4);
    expect(await readFile(path, "utf8")).toContain("A4,y");
    const own = await readFile(beside(file, "orders.rejects.csv"), "utf8");
    expect([own.includes("A1,1"), own.includes("A2,x")]).toEqual([true, true]);
  });

  it("is not mistaken for the results, nor they for it", async () => {
    const { push, numbers } = await openWorld();
    const file = await makeFile("orders.csv", ORDERS);
    const results = beside(file, "orders.rejects.csv");
    expect(await push([file, ...SKIP, "--results", results])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the rejects go there"),
    });
    expect(numbers()).toEqual([]);
  });

  it("is not named again once its rows were mended and pushed", async () => {
    const { push, command } = await openWorld();
    const file = await makeFile("orders.csv", "num_commande\n1\nx\n");
    const first = await push([file, ...SKIP, "--header-line", "1"]);
    const path = beside(file, "orders.rejects.csv");
    const again = await push([file, ...SKIP, "--header-line", "1"]);
    expect([again.code, mendIn(again)]).toEqual([4, mendIn(first)]);
    await mend(path);
    expect((await command(mendIn(again))).code).toBe(0);
    expect((await push([file, ...SKIP, "--header-line", "1"])).stdout).not.toContain(path);
  });
});

describe("a config that names a directory for rejects", () => {
  it("is the base of that path, and each push has a file of its own there", async () => {
    const { push } = await openWorld();
    const config = await makeFile("c.json", '{"tables":{"commandes":{"rejects":"mend"}}}');
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    await push([file, ...SKIP, "--config", config]);
    await writeFile(file, "cle,num_commande\nA1,1\nA2,z\n");
    const second = await push([file, ...SKIP, "--config", config]);
    expect(second.code).toBe(4);
    expect((await readdir(beside(config, "mend"))).sort()).toEqual([
      "orders.rejects-2.csv",
      "orders.rejects.csv",
    ]);
    expect(await filesBeside(file)).toEqual([]);
    const named = join(await makeDirectory(), "r.csv");
    await writeFile(file, "cle,num_commande\nA1,1\nA2,w\n");
    await push([file, ...SKIP, "--config", config, "--rejects", named]);
    expect(await readFile(named, "utf8")).toContain("A2,w");
  });
});

describe("files of rows that rec-push wrote", () => {
  /** Rejects beside `a.csv`, of which the first has a later row. */
  async function openFolder() {
    const world = await openWorld();
    const file = await makeFile("a.csv", "cle,num_commande\nA1,x\nA1,1\nA2,y\n");
    expect((await world.push([file, ...SKIP])).code).toBe(4);
    expect(await filesBeside(file)).toEqual(["a.rejects.csv"]);
    return {
      ...world,
      file,
      rejects: beside(file, "a.rejects.csv"),
    };
  }

  it("are passed over among others, with a notice", async () => {
    const { push, command, file, rejects, numbers } = await openFolder();
    for (const run of [await push([file, rejects, ...SKIP]), await command(["check", file, rejects])]) {
      expect(run.stderr + run.stdout).toContain(`${rejects} is passed over: rec-push wrote it`);
    }
    expect(numbers()).toEqual(["1"]);
  });

  it("are pushed if only rejects are given", async () => {
    const { push, rejects, numbers } = await openFolder();
    await mend(rejects);
    const mended = await readFile(rejects, "utf8");
    await writeFile(rejects, mended.replace(/^.*A1,2\n/m, ""));
    const other = await makeFile("b.rejects.csv", (await readFile(rejects, "utf8")).replace("A2,4", "A3,5"));
    expect((await push([rejects, other])).code).toBe(0);
    expect(numbers().toSorted(inOrder)).toEqual(["1", "4", "5"]);
  });

  it("are refused with rows that have a later one, unless --stale-ok says that the old values are wanted", async () => {
    const { push, rejects, numbers } = await openFolder();
    await mend(rejects);
    const refused = await push([rejects]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("push it with --stale-ok") });
    expect(numbers()).toEqual(["1"]);
    expect((await push([rejects, "--stale-ok"])).code).toBe(0);
    expect(numbers()).toEqual(["2", "4"]);
  });

  it("are refused with rows in doubt, in every format and encoding", async () => {
    const { push, command, numbers } = await openWorld();
    const names = ["line", "batch", "reason"].map((name) => `_in_doubt_${name}`);
    const members = names.map((name) => `"${name}":"1"`).join(",");
    for (const [name, content] of [
      ["a.csv", `${names.join(",")},num_commande\n2,a,b,1\n`],
      ["a.csv", `Titre;;;\n"${names.join('";"')}";"num_commande"\n2;a;b;1\n`],
      ["a.csv", `num_commande\t${names.join("\t")}\n1\t2\ta\tb\n`],
      ["a.csv", Buffer.from(`\ufeff${names.join(",")},num_commande\n2,a,b,1\n`, "utf16le")],
      ["a.csv.gz", gzipSync(`${names.join(",")},num_commande\n2,a,b,1\n`)],
      ["a.ndjson", `{${members},"num_commande":"1"}\n`],
      ["a.json", `[\n {\n ${members.replaceAll(",", ",\n ")},\n "num_commande": "1"}]`],
    ] as const) {
      const file = await makeFile(name, content);
      for (const run of [await push([file, "--other-columns", "drop"]), await command(["check", file])])
        expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining("--in-doubt") });
    }
    expect(numbers()).toEqual([]);
  });

  it("are not recognised by a marker's name alone", async () => {
    const { push } = await openWorld();
    const file = await makeFile(
      "a.csv",
      "cle,libelle\nA1,_in_doubt_line\nA2,the _in_doubt_lines and _in_doubt_reasons\n",
    );
    expect((await push([file, "--type", "libelle=text"])).code).toBe(0);
  });
});

describe("creates that were created before with other values", () => {
  it("are named with their lines, and end with 4 only the first time", async () => {
    const { push, numbers } = await openWorld();
    const head = "num_commande,actual_billable_amount\n";
    const file = await makeFile("orders.csv", `${head}1,10.00\n2,20.00\n`);
    expect((await push([file, ...IDENTITY])).code).toBe(0);
    await writeFile(file, `${head}1,11.00\n2,20.00\n3,30.00\n`);
    const second = await push([file, ...IDENTITY]);
    expect(second.code).toBe(4);
    expect(second.stdout).toContain("Next: correct the record that changed in the service by hand");
    expect(second.stderr).toContain("1 create was created before with other values (line 2): left out");
    const third = await push([file, ...IDENTITY]);
    expect([third.code, third.stderr]).toEqual([
      0,
      expect.stringContaining("values (all named before): left out"),
    ]);
    await writeFile(file, `${head}1,11.00\n2,22.00\n3,30.00\n`);
    const fourth = await push([file, ...IDENTITY]);
    expect(fourth.code).toBe(4);
    expect(fourth.stderr).toContain(
      "2 creates were created before with other values (line 3; the others were named before)",
    );
    expect(await filesBeside(file)).toEqual([]);
    expect(numbers().toSorted(inOrder)).toEqual(["1", "2", "3"]);
  });
});

describe("a run whose directory holds rejects", () => {
  async function pushFromStdin() {
    const world = await openWorld();
    const first = await world.push(["-", ...SKIP], { stdin: ORDERS });
    const [run = ""] = await world.runs();
    return { ...world, first, run, path: join(world.directoryOf(run), "rejects.csv") };
  }

  it("is not pruned before they are mended and pushed", async () => {
    const { command, first, path, runs } = await pushFromStdin();
    expect((await command(["runs", "prune"])).stdout).toMatch(/0 finished runs removed[^]*nobody mended/);
    await mend(path);
    await command(["runs", "prune"]);
    expect(await readFile(path, "utf8")).toContain("A2,2");
    expect((await command(mendIn(first))).code).toBe(0);
    expect((await command(["runs", "prune"])).stdout).toContain("2 finished runs removed");
    expect(await runs()).toEqual([]);
  });

  it("is kept where somebody has removed them, and pruned once they are given up", async () => {
    const { command, path, run, runs } = await pushFromStdin();
    await rm(path);
    await command(["runs", "prune"]);
    expect(await runs()).toEqual([run]);
    expect((await command(["runs", "abandon", run])).code).toBe(0);
    await command(["runs", "prune"]);
    expect(await runs()).toEqual([]);
  });
});

describe("rejects that were mended while their run was open", () => {
  it("stay as they are: the run goes on, and writes its rows beside them", async () => {
    const { push, command, numbers, sandbox } = await openWorld(["status=503"]);
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    const path = beside(file, "orders.rejects.csv");
    expect((await push([file, ...SKIP, "--retries", "0"])).code).toBe(7);
    await mend(path);
    const mended = await readFile(path, "utf8");
    sandbox.setFaults([]);
    expect(await command(["resume"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`${path} already exists and is left as it is`),
    });
    expect(await readFile(path, "utf8")).toBe(mended);
    expect(await readFile(beside(file, "orders.rejects-2.csv"), "utf8")).toContain("A2,x");
    expect((await push([path])).code).toBe(0);
    expect(numbers()).toEqual(["1", "2"]);
  });
});
