import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/shell-word.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome } from "../support/run-main.ts";
import { runProcess, startProcess } from "../support/run-process.ts";
import { makeFile } from "../support/temp-files.ts";

const NUMBERS = Array.from({ length: 8 }, (_, at) => String(551_000 + at));
const CSV = ["num_commande;note", ...NUMBERS.map((number) => `${number};"n ""${number}"""`), ""].join("\n");
const JSON_ROWS = JSON.stringify(NUMBERS.map((number) => ({ num_commande: number, note: "x" })));
const FAULT = "drop=before,kind=create,times=1";

/** Eight creates in doubt, none of which the service holds, and the command that the push prints at its end. */
async function openWorld(name = "orders.csv", content: string | Buffer = CSV, more: readonly string[] = []) {
  const sandbox = await openSandbox({ faults: [FAULT] });
  const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const file = await makeFile(name, content);
  const argv = [
    file,
    "-t",
    "commandes",
    "--concurrency",
    "1",
    "--batch-size",
    "8",
    "--retries",
    "0",
    ...more,
  ];
  const run = (...words: readonly string[]) => runProcess(words, { env });
  const first = await run(...argv);
  expect(first.code).toBe(8);
  return {
    ...adviceIn(first.stdout),
    sandbox,
    file,
    argv,
    run,
    start: (...words: readonly string[]) => startProcess(words, env),
    held: () => heldBy(sandbox).map((fiche) => fiche["num_commande"]),
  };
}

/** The printed command for a file of rows in doubt: its words, its run and its file. */
function adviceIn(text: string) {
  const line = /Next: if only some are there: .*?: rec-push (resume \S+ --in-doubt-file .*)/.exec(text)?.[1];
  expect(line).toBeDefined();
  const command = splitWords(line!);
  return { command, name: command[1]!, path: command[3]! };
}

/** Deletes the rows with these numbers from a file. */
async function deleteRows(path: string, gone: readonly string[]): Promise<void> {
  const lines = (await readFile(path, "latin1")).split("\n");
  const left = lines.filter((line) => !gone.some((number) => line.includes(number)));
  await writeFile(path, left.join("\n"), "latin1");
}

describe("the file of rows in doubt", () => {
  it.each(["utf8", "utf16le"] as const)(
    "decides also if a spreadsheet has saved it in %s with a byte order mark",
    async (encoding) => {
      const orders = Buffer.from(CSV.replaceAll("n ", "n\u00e9 "), "latin1");
      const { run, command, path, held, file } = await openWorld("orders.csv", orders, [
        "--encoding",
        "windows-1252",
      ]);
      await deleteRows(path, NUMBERS.slice(0, 3));
      const text = await readFile(path, "latin1");
      expect(text).toContain("n\u00e9 ");
      await writeFile(path, `\u{feff}${text}`, encoding);
      const { code, stdout } = await run(...command);
      expect({ file, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("8 accepted"),
      });
      expect(held()).toEqual(NUMBERS.slice(3));
    },
  );

  it("has the rows unchanged, after their line, their batch and the reason", async () => {
    const { path, name } = await openWorld();
    const [header, first, ...others] = (await readFile(path, "utf8")).trimEnd().split("\n");
    expect(header).toBe("_in_doubt_line;_in_doubt_batch;_in_doubt_reason;num_commande;note");
    expect(first).toMatch(
      new RegExp(
        String.raw`^2;"batch 1 of the run ${name} \(doubt [0-9a-f]{8}\)";"sent, perhaps applied: .+";551000;"n ""551000"""$`,
      ),
    );
    expect(others).toHaveLength(7);
  });

  it.each([
    ["orders.csv", CSV, []],
    ["orders.json", JSON_ROWS, []],
    ["titled.csv", `Commandes du jour\n${CSV}`, []],
    [
      "no-header.csv",
      CSV.slice(CSV.indexOf("\n") + 1),
      ["--no-header", "--map", "1=num_commande", "--map", "2=note"],
    ],
    [
      "latin.csv",
      Buffer.from(`num_commande;note\n${NUMBERS.map((n) => `${n};été, ça va déjà`).join("\n")}`, "latin1"),
      [],
    ],
  ] as const)(
    "of %s sends the rows that are left in it and counts the others as applied",
    async (name, content, more) => {
      const { path, command, run, held } = await openWorld(name, content, more);
      await deleteRows(path, [NUMBERS[1]!, NUMBERS[6]!]);
      const end = await run(...command);
      expect(end.code).toBe(0);
      expect(end.stdout).toContain("8 rows read: 8 accepted");
      expect(held()).toEqual(NUMBERS.filter((_, at) => at !== 1 && at !== 6));
      expect(existsSync(path)).toBe(false);
      expect((await run("runs")).stdout).toContain("8 accepted (2 of them on your word)");
      // A later push knows all of them.
      expect((await run(...command)).code).toBe(2);
      expect(held()).toHaveLength(6);
    },
  );

  it.each<[string, (text: string) => string, RegExp]>([
    ["with a changed row", (text) => text.replace(";551003;", ";551993;"), /line 5 was changed/],
    ["with a row twice", (text) => `${text}${text.trimEnd().split("\n").at(-1)}\n`, /line 9 is in it twice/],
    [
      "with a row that is not in doubt",
      (text) => `${text}99;${text.split("\n")[1]!.split(";").slice(1).join(";")}\n`,
      /line 99 is not in doubt/,
    ],
    ["without rows", (text) => `${text.split("\n")[0]}\n`, /holds no rows/],
    [
      "without its columns",
      (text) =>
        text
          .split("\n")
          .map((line) => line.split(";").slice(3).join(";"))
          .join("\n"),
      /not a file of rows in doubt/,
    ],
    ["that is empty", () => "", /not a file of rows in doubt/],
    [
      "of another run",
      (text) => text.replaceAll(/of the run \S+/g, "of the run 20200101-000000-abcdef"),
      /was written for the run 20200101-000000-abcdef/,
    ],
    [
      "of other doubt",
      (text) => text.replaceAll(/doubt [0-9a-f]{8}/g, "doubt 00000000"),
      /has changed since/,
    ],
    ["with another column", (text) => text.replace(";note", ";remark"), /its columns/],
    ["with a cell more", (text) => text.replace(";551003;", ";551003;;"), /line 5 was changed/],
    ["with a quote that never ends", (text) => text.replace('"n ""551003"""', '"n'), /nothing is decided/],
  ])("is refused %s, and nothing is sent", async (_, change, reason) => {
    const { path, command, run, held, name } = await openWorld();
    const text = await readFile(path, "utf8");
    await writeFile(path, change(text));
    const end = await run(...command);
    expect(end.stderr).toMatch(reason);
    expect(end.code).toBe(2);
    expect(held()).toEqual([]);
    expect((await run("runs", name)).stdout).toContain("8 in doubt");
    // Nothing was decided, so the unchanged file can still decide.
    await writeFile(path, text);
    expect((await run(...command)).code).toBe(0);
    expect(held()).toEqual(NUMBERS);
  });

  it("is refused beside --in-doubt", async () => {
    const { command, run, held } = await openWorld();
    const end = await run(...command, "--in-doubt", "applied");
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("row by row") });
    expect(held()).toEqual([]);
  });

  it("is refused once what is in doubt has changed", async () => {
    const { sandbox, path, run, held, name } = await openWorld();
    const old = await readFile(path, "utf8");
    sandbox.setFaults([FAULT]);
    const again = await run("resume", name, "--in-doubt", "resend");
    expect(again.code).toBe(8);
    const copy = await makeFile("old.csv", old);
    const end = await run("resume", name, "--in-doubt-file", copy);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("has changed since") });
    const { command } = adviceIn(again.stdout);
    expect((await run(...command)).code).toBe(0);
    expect(held()).toEqual(NUMBERS);
  });

  it("says what is left to do where the input is gone", async () => {
    const { file, command, run, held } = await openWorld();
    await rm(file);
    const end = await run(...command);
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("is gone");
    expect(held()).toEqual([]);
    const applied = await run("resume", command[1]!, "--in-doubt", "applied");
    expect(applied.code).toBe(0);
  });

  it("that has decided sends nothing twice and loses nothing if its command is killed and typed again", async () => {
    const { sandbox, path, command, run, start, held } = await openWorld();
    await deleteRows(path, [NUMBERS[0]!]);
    sandbox.setFaults(["hang,after-applying,kind=create"]);
    const killed = start(...command, "--batch-size", "3");
    while (held().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(held()).toHaveLength(1);
    sandbox.setFaults([]);
    const again = await run(...command, "--batch-size", "3");
    expect(again.code).toBe(8);
    // The rest was sent; the request that was cut off is in doubt, with a file of its own.
    // It is one record, so there is no step for some of them.
    expect(again.stdout).not.toContain("if only some are there");
    const rows = (await readFile(path, "utf8")).trimEnd().split("\n").length - 1;
    expect(rows).toBe(1);
    expect(held()).toHaveLength(7);
    const applied = await run("resume", command[1]!, "--in-doubt", "applied");
    expect(applied.code).toBe(0);
    expect(new Set(held())).toEqual(new Set(NUMBERS.slice(1)));
    expect(existsSync(path)).toBe(false);
  });

  it("typed again with other rows left decides nothing more", async () => {
    const { sandbox, path, command, run, start, held } = await openWorld();
    const copy = await makeFile("copy.csv", await readFile(path, "utf8"));
    sandbox.setFaults(["hang,after-applying,kind=create"]);
    const killed = start(...command);
    while (held().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults([]);
    await deleteRows(copy, [NUMBERS[7]!]);
    const other = await run("resume", command[1]!, "--in-doubt-file", copy);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("were decided on before") });
  });

  it("is written by resume after a kill, named by runs, and left alone once somebody changed it", async () => {
    const sandbox = await openSandbox({ faults: ["hang,after-applying,kind=create"] });
    const env = { XDG_STATE_HOME: makeStateHome(), REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
    const file = await makeFile("orders.csv", CSV);
    const killed = startProcess([file, "-t", "commandes"], env);
    while (heldBy(sandbox).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    killed.child.kill("SIGKILL");
    await killed.ended;
    sandbox.setFaults([]);
    const rest = await runProcess(["resume"], { env });
    expect(rest.code).toBe(8);
    const { path, name } = adviceIn(rest.stdout);
    expect(await readFile(path, "utf8")).toContain("rec-push was stopped before the answer came");
    const listed = await runProcess(["runs", name], { env });
    expect(listed.stdout).toContain(`--in-doubt-file ${path}`);
    await deleteRows(path, [NUMBERS[0]!]);
    const edited = await readFile(path, "utf8");
    const shown = await runProcess(["resume", name], { env });
    expect(shown.code).toBe(8);
    expect(adviceIn(shown.stdout).path).toBe(path);
    expect(await readFile(path, "utf8")).toBe(edited);
  });
});
