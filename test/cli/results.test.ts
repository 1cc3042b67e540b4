import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeDirectory, makeFile, pipeBeside } from "../support/temp-files.ts";

type Result = Readonly<Record<string, unknown>>;

async function resultsIn(path: string): Promise<readonly Result[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Result);
}

/** Seven rows, one for each outcome except those of a failing service. */
const ROWS = "cle,num_commande\nA1,1\nA2,x\nA3,3\n,4\nA5,\nA3,6\nA7,7\n";

describe("--results", () => {
  it("has every row once, in file order, with what became of it", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:7"] });
    const file = await makeFile("a.csv", ROWS);
    const path = join(dirname(file), "results.ndjson");
    const argv = [file, "--on-invalid", "skip", "--on-repeat", "last", "--results", path];
    const run = await pushTo(sandbox, [...argv, "--json"]);
    expect(run.code).toBe(4);
    const found = await resultsIn(path);
    expect(found.map(({ line, cle, outcome }) => [line, cle, outcome])).toEqual([
      [2, "A1", "accepted"],
      [3, "A2", "rejected"],
      [4, "A3", "skipped"],
      [5, null, "accepted"],
      [6, null, "skipped"],
      [7, "A3", "accepted"],
      [8, "A7", "refused"],
    ]);
    expect(found[0]).toEqual({
      file,
      line: 2,
      cle: "A1",
      outcome: "accepted",
      batch: expect.any(Number),
      status: 200,
      msg: "Update Items OK.",
      attempts: expect.any(Number),
    });
    expect(found[1]).toMatchObject({ batch: null, status: null, attempts: null });
    expect(found[1]?.["msg"]).toContain("num_commande: it holds more than digits");
    expect(found[2]?.["msg"]).toBe("a later row has the same key");
    expect(found[4]?.["msg"]).toBe("nothing to send");
    const summary = run.events().at(-1)!;
    for (const outcome of ["accepted", "refused", "rejected", "skipped", "notSent", "failed", "inDoubt"]) {
      expect(found.filter((row) => row["outcome"] === outcome)).toHaveLength(Number(summary[outcome]));
    }
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["failed, and the rows of its key not sent", ["status=500"], ["failed", "failed", "notSent"], []],
    ["in doubt", ["drop=after"], ["inDoubt", "notSent"], ["--max-failed", "1"]],
    ["not sent behind what stopped the run", ["status=401"], ["notSent"], []],
  ])("has rows that are %s", async (_, faults, expected, argv) => {
    const sandbox = await openSandbox({ faults: [...faults] });
    const content = faults[0] === "drop=after" ? "n\n1\n2\n3\n" : "cle,n\nA1,1\nA2,2\nA1,3\n";
    const file = await makeFile("a.csv", content);
    const path = join(dirname(file), "results.ndjson");
    const small = ["--batch-size", "1", "--retries", "0", "--concurrency", "1"];
    await pushTo(sandbox, [file, "--results", path, ...small, ...argv]);
    const found = await resultsIn(path);
    expect(found).toHaveLength(3);
    expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(expected));
  });

  it("is a CSV that spreadsheets open: delimiter of the input, byte order mark, no formulas", async () => {
    const sandbox = await openSandbox({ faults: ['status=422,msg="=2+3; so"'] });
    const file = await makeFile("a.csv", "cle;n_amount\nA1;1,5\nA2;2,5\n");
    const path = join(dirname(file), "results.csv");
    await pushTo(sandbox, [file, "--results", path]);
    const text = await readFile(path, "utf8");
    expect(text.startsWith("\ufefffile;line;cle;outcome;batch;status;msg;attempts\r\n")).toBe(true);
    const rows: Record<string, string>[] = parse(text, { bom: true, delimiter: ";", columns: true });
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ file, line: "3", cle: "A2", outcome: "refused", status: "422" });
    expect(rows[1]?.["msg"]?.startsWith("'=2+3; ")).toBe(true);
  });

  it("has the rows of every file, each told apart in JSON of one line", async () => {
    const sandbox = await openSandbox({ faults: ["refuse=num_commande:2"] });
    const rows = [1, 2, 3].map((n) => `{"cle":"J${n}","num_commande":${n}}`).join(",");
    const json = await makeFile("b.json", `[${rows}]`);
    const csv = await makeFile("a.csv", "cle,num_commande\nC1,1\n");
    const path = join(await makeDirectory(), "results.jsonl");
    await pushTo(sandbox, [csv, json, "--results", path]);
    expect((await resultsIn(path)).map(({ file, cle, outcome }) => [file, cle, outcome])).toEqual([
      [csv, "C1", "accepted"],
      [json, "J1", "accepted"],
      [json, "J2", "refused"],
      [json, "J3", "accepted"],
    ]);
  });

  it.each([
    ["r.csv", ","],
    ["r.csv", ";"],
    ["r.csv", "\t"],
    ["r.csv", "|"],
    ["r.ndjson", ","],
  ])("takes the place of the results of an earlier run: %s, %j", async (name, delimiter) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", `cle${delimiter}num_commande\nkey-1${delimiter}1\n`);
    const path = join(dirname(file), name);
    for (const cle of ["key-1", "key-2"]) {
      await writeFile(file, `cle${delimiter}num_commande\n${cle}${delimiter}1\n${delimiter}2\n`);
      expect((await pushTo(sandbox, [file, "--results", path])).code).toBe(0);
      expect(await readFile(path, "utf8")).toContain(cle);
    }
    expect(await readFile(path, "utf8")).not.toContain("key-1");
  });

  it("takes the place of results whose first key is longer than what is looked at", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile('say "a".csv', `cle,num_commande\n${"K".repeat(100_000)},1\n`);
    const path = join(dirname(file), "r.ndjson");
    for (const run of [1, 2])
      expect((await pushTo(sandbox, [file, "--results", path])).code, `run ${run}`).toBe(0);
  });

  it("does not leave the results of an earlier run where nothing is sent", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\n");
    const path = join(dirname(file), "results.csv");
    await pushTo(sandbox, [file, "--results", path]);
    await writeFile(file, "cle,n_amount\nA1,1\nA2,x\n");
    expect((await pushTo(sandbox, [file, "--results", path])).code).toBe(3);
    expect(await readdir(dirname(file))).toEqual(["a.csv"]);
  });

  it("takes the place of an empty file", async () => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\n");
    const path = await makeFile("results.csv", "");
    expect((await pushTo(sandbox, [file, "--results", path])).code).toBe(0);
    expect(await readFile(path, "utf8")).toContain("A1");
  });

  it.each([
    ["a text", "notes\n"],
    ["another CSV", "file,line,cle,outcome\na.csv,2,A1,accepted\n"],
    ["the same words in another order", "line,file,cle,outcome,batch,status,msg,attempts\n"],
    ["other NDJSON", '{"file":"a.csv","line":2,"key":"A1"}\n'],
    ["JSON of a run", '{"event":"run"}\n'],
    ["bytes", Buffer.from([0x1f, 0x8b, 0xff, 0x00])],
    ["a line end", "\n"],
  ])("refuses to replace %s that it did not write", async (_, content) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\n");
    const path = await makeFile("results.csv", content);
    const run = await pushTo(sandbox, [file, "--results", path]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`the results cannot go to ${path}: it does not hold results of rec-push`);
    expect(run.stderr).toContain("name another file");
    expect((await readFile(path)).equals(Buffer.from(content))).toBe(true);
    expect(sandbox.requests().requests).toBe(0);
  });

  it.each([
    ["the input itself", (file: string) => [file], "it is the file that is pushed"],
    ["standard output", () => ["-"], "they are a file"],
    ["a pipe", (file: string) => [pipeBeside(file)], "it is not a regular file"],
    ["a directory that is not there", () => ["/no/such/r.csv"], "not a directory"],
    ["the rejects", (file: string) => [`${file}.r`, "--rejects", `${file}.r`], "the rejects go there"],
  ])("refuses %s before anything is sent", async (_, argv, told) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", "cle,n_amount\nA1,1\n");
    const run = await pushTo(sandbox, [file, "--results", ...argv(file)]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(told);
    expect(await readFile(file, "utf8")).toContain("A1");
    expect(sandbox.requests().requests).toBe(0);
  });
});
