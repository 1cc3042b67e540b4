import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { decisionOn } from "../support/decide.ts";
import { heldBy } from "../support/push-to-sandbox.ts";
import { openWorld } from "../support/open-world.ts";
import { startProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

type Row = Readonly<Record<string, string>>;

const CSV = ["num_commande;note", "551000;a", "551001;b", "551002;c", ""].join("\n");
const FAULT = "drop=before,kind=create,times=1";
const PACE = ["--concurrency", "1", "--retries", "0"];

async function rowsIn(path: string): Promise<readonly Row[]> {
  return parse(await readFile(path, "utf8"), { bom: true, delimiter: ";", columns: true });
}

async function outcomesIn(path: string): Promise<readonly string[]> {
  return (await rowsIn(path)).map(({ line, outcome }) => `${line} ${outcome}`);
}

const ALL = (outcome: string): string[] => ["2", "3", "4"].map((line) => `${line} ${outcome}`);

/** Three creates in doubt, and their results. */
async function openDoubt(argv: readonly string[] = []) {
  const world = await openWorld([FAULT]);
  const file = await makeFile("orders.csv", CSV);
  const path = join(dirname(file), "results.csv");
  const first = await world.push([file, ...PACE, "--results", path, ...argv]);
  expect(first.code).toBe(8);
  return { ...world, file, path, run: (await world.runs())[0]!, text: first.stdout + first.stderr };
}

describe("the results of a run", () => {
  it("name each row by the fields of its identity, updates and rows that are left out too", async () => {
    const { push, sandbox } = await openWorld();
    const file = await makeFile("a.csv", 'cle;num_commande;note\n;1;x\nA2;2;"y;z"\n;3;\n;abc;q\n');
    const path = join(dirname(file), "results.csv");
    const argv = [file, "--exports", "full", "--identify-by", "num_commande,note", "--results", path];
    expect((await push([...argv, "--on-invalid", "skip"])).code).toBe(4);
    expect((await readFile(path, "utf8")).split("\r\n")[0]).toBe(
      "\ufefffile;line;cle;outcome;batch;status;msg;attempts;num_commande;note",
    );
    const named = (await rowsIn(path)).map((row) => [
      row["cle"],
      row["num_commande"],
      row["note"],
      row["outcome"],
    ]);
    expect(named).toEqual([
      ["", "1", "x", "accepted"],
      ["A2", "2", "y;z", "accepted"],
      ["", "3", "", "accepted"],
      ["", "", "", "rejected"],
    ]);
    await writeFile(file, "cle;num_commande;note\n;1;x\n;9;new\n");
    expect((await push(argv)).code).toBe(0);
    expect((await rowsIn(path)).map((row) => [row["num_commande"], row["outcome"], row["msg"]])).toEqual([
      ["1", "skipped", "it was created before"],
      ["9", "accepted", expect.any(String)],
    ]);
    const json = join(dirname(file), "results.ndjson");
    expect(
      (await push([file, "--exports", "full", "--identify-by", "num_commande", "--results", json])).code,
    ).toBe(0);
    const [line] = (await readFile(json, "utf8")).split("\n");
    expect(JSON.parse(line!)).toMatchObject({ line: 2, cle: null, identity: { num_commande: "1" } });
    expect(heldBy(sandbox)).toHaveLength(4);
  });

  it("say of rows in doubt what was decided, beside rows that an earlier push created", async () => {
    const { push, command, sandbox } = await openWorld();
    const file = await makeFile("orders.csv", CSV);
    const path = join(dirname(file), "results.csv");
    const same = [...PACE, "--exports", "full", "--identify-by", "num_commande"];
    expect((await push([file, ...same])).code).toBe(0);
    await writeFile(file, `${CSV}551003;d\n551004;e\n`);
    sandbox.setFaults([`${FAULT},skip=1`]);
    const argv = [file, ...same, "--batch-size", "1", "--results", path];
    expect((await push(argv)).code).toBe(8);
    expect((await command(await decisionOn(command, "applied"))).code).toBe(0);
    expect((await rowsIn(path)).map(({ outcome, msg }) => `${outcome} ${msg}`)).toEqual([
      ...Array.from({ length: 3 }, () => "skipped it was created before"),
      "accepted Update Items OK.",
      "accepted taken as applied",
    ]);
  });

  it.each([
    ["applied", "accepted", 0],
    ["resend", "accepted", 0],
    ["absent", "notSent", 0],
  ] as const)("are brought up to date by resume --in-doubt %s", async (answer, outcome, code) => {
    const { command, path, run } = await openDoubt();
    expect(await outcomesIn(path)).toEqual(ALL("inDoubt"));
    const end = await command(await decisionOn(command, answer, run));
    expect(end.code).toBe(code);
    expect(await outcomesIn(path)).toEqual(ALL(outcome));
  });

  it.each([
    ["applied", "accepted"],
    ["absent", "notSent"],
  ] as const)(
    "of a run that was given up are brought up to date by resume --in-doubt %s",
    async (answer, outcome) => {
      const { command, path, run } = await openDoubt();
      expect((await command(["runs", "abandon", run])).code).toBe(0);
      expect((await command(await decisionOn(command, answer, run))).code).toBe(0);
      expect(await outcomesIn(path)).toEqual(ALL(outcome));
    },
  );

  it("are brought up to date by resume --in-doubt FILE", async () => {
    const { command, path, run, text } = await openDoubt();
    const doubt = /--in-doubt (\S+\.csv)/.exec(text)![1]!;
    const rows = (await readFile(doubt, "utf8")).split("\n");
    await writeFile(doubt, rows.filter((row) => !row.includes("551001")).join("\n"));
    expect((await command(["resume", run, "--in-doubt", doubt])).code).toBe(0);
    const found = await rowsIn(path);
    expect(found.map(({ outcome, msg }) => [outcome, msg === "taken as applied"])).toEqual([
      ["accepted", false],
      ["accepted", true],
      ["accepted", false],
    ]);
  });

  it("are written elsewhere by the resume that decides, and no more for a run that is closed", async () => {
    const { command, path, run } = await openDoubt();
    const other = join(await makeDirectory(), "other.csv");
    expect((await command([...(await decisionOn(command, "applied", run)), "--results", other])).code).toBe(
      0,
    );
    expect(await outcomesIn(other)).toEqual(ALL("accepted"));
    expect(await outcomesIn(path)).toEqual(ALL("inDoubt"));
    const third = join(await makeDirectory(), "third.csv");
    expect(await command(["resume", run, "--results", third])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("its rows are not judged again for --results"),
    });
    expect(existsSync(third)).toBe(false);
  });

  it("stay as they are where another push or somebody else wrote them since", async () => {
    const { command, path, run } = await openDoubt();
    const changed = `${await readFile(path, "utf8")}mine\r\n`;
    await writeFile(path, changed);
    const end = await command(await decisionOn(command, "applied", run));
    expect(end.code).toBe(0);
    expect(end.stderr).toContain("they stay as they are");
    expect(await readFile(path, "utf8")).toBe(changed);
  });

  it("cannot be brought up to date if the input is gone, but the decision counts", async () => {
    const { command, path, run, file } = await openDoubt();
    await rm(file);
    const end = await command(await decisionOn(command, "applied", run));
    expect(end.code).toBe(0);
    expect(end.stderr).toContain(`the results in ${path} are not brought up to date`);
    expect((await command(["runs", run])).stdout).toContain("3 accepted (3 of them on your word)");
  });

  it("of several files stay as they are: one run cannot tell the rows of the others", async () => {
    const { push, command, sandbox } = await openWorld();
    const files = await Promise.all(
      ["a.csv", "b.csv"].map((name, at) => makeFile(name, `num_commande;note\n${at}1;x\n${at}2;y\n`)),
    );
    const path = join(await makeDirectory(), "results.csv");
    sandbox.setFaults([FAULT]);
    expect((await push([...files, ...PACE, "--results", path])).code).toBe(8);
    const before = await readFile(path, "utf8");
    // By then only the run of the first file is open.
    const end = await command(await decisionOn(command, "applied"));
    expect(end.code).toBe(0);
    expect(end.stderr).toContain("they stay as they are; --results FILE");
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("show rows that an earlier push left in doubt as such", async () => {
    const { command, push, path, run, file } = await openDoubt();
    expect((await command(["runs", "abandon", run])).code).toBe(0);
    const again = await push([file, "--results", path, "--exports", "full", "--identify-by", "record"]);
    expect(again.code).toBe(8);
    for (const { outcome, msg } of await rowsIn(path)) {
      expect(outcome).toBe("skipped");
      expect(msg).toContain("in doubt");
    }
  });

  it("are written by resume after a kill", async () => {
    const { sandbox, home, command } = await openWorld(["hang,after-applying,kind=create"]);
    const env = { XDG_STATE_HOME: home, REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const file = await makeFile("orders.csv", CSV);
    const path = join(dirname(file), "results.csv");
    const killed = startProcess([file, "-t", "commandes", "--results", path], env);
    while (heldBy(sandbox).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults([]);
    const end = await startProcess(await decisionOn(command, "applied"), env).ended;
    expect(end.code).toBe(0);
    expect(await outcomesIn(path)).toEqual(ALL("accepted"));
  });
});
