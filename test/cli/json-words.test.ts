import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { placesIn } from "../../src/store/state-directory.ts";
import { takeTableLock } from "../../src/store/table-lock.ts";
import { fixture } from "../support/fixture.ts";
import { openWorld } from "../support/open-world.ts";
import { type MainResult, runMain } from "../support/run-main.ts";
import { runProcess } from "../support/run-process.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const GOOD = "cle,num_commande\nA1,551035\nA2,551036\n";
const WITH_CREATE = `${GOOD},551037\n`;
const PINNED = ["--delimiter", ","];

/** The summary of a command that never began. */
const NO_RUN = {
  event: "summary",
  run: "",
  runs: [],
  read: 0,
  accepted: 0,
  refused: 0,
  failed: 0,
  inDoubt: 0,
  rejected: 0,
  notSent: 0,
  skipped: 0,
  batches: 0,
  exitCode: 2,
  safeToRerun: false,
};

/** Pushes with --json, once without and once with --quiet. */
async function pushJson(
  faults: readonly string[],
  content: string,
  argv: readonly string[],
): Promise<{ readonly loud: MainResult; readonly quiet: MainResult }> {
  const push = async (more: readonly string[]): Promise<MainResult> => {
    const file = await makeFile("orders.csv", content);
    return (await openWorld(faults)).push([file, "--json", "--retries", "0", ...argv, ...more]);
  };
  return { loud: await push([]), quiet: await push(["--quiet"]) };
}

describe("standard error with --json", () => {
  it.each<[string, number, string[], string, string[], RegExp[]]>([
    [
      "a question",
      3,
      [],
      "cle,date_billed\nA1,05/07/2016\n",
      PINNED,
      [/^error: .*orders\.csv: column "date_billed": line 2 "05\/07\/2016" is /, /^ {2}--type date_billed=/m],
    ],
    [
      "invalid rows",
      3,
      [],
      "cle,num_commande\nA1,x\n",
      PINNED,
      [/orders\.csv:2: column 2 "num_commande" holds "x": /],
    ],
    [
      "rows left out, and how to mend them",
      4,
      [],
      `${GOOD}A3,x\n`,
      [...PINNED, "--on-invalid", "skip"],
      [/orders\.csv:4: .*holds "x"/, /^3 rows read: 2 accepted, 1 rejected /m, /^Next: mend the 1 row in /m],
    ],
    [
      "a record that is refused",
      4,
      ["refuse=num_commande:551036"],
      GOOD,
      PINNED,
      [/orders\.csv:3: .*551036/, /1 refused/],
    ],
    [
      "a token that is refused",
      5,
      ["status=401"],
      GOOD,
      PINNED,
      [/^error: .* refuses the token \(401\)/m, /^ {2}check the token/m, /^Next: give a valid token/m],
    ],
    [
      "a table that is not there",
      6,
      ["status=404"],
      GOOD,
      PINNED,
      [/^error: .* does not take records for this table/m, /^Next: mend the request/m],
    ],
    [
      "a service in trouble",
      7,
      ["status=500"],
      GOOD,
      PINNED,
      [
        /^ +\d+ {2}update .* 500 Something went wrong.* -> failed$/m,
        /^ {2}failed: 2 updates in /m,
        /^Next: wait until/m,
      ],
    ],
    [
      "what is in doubt",
      8,
      ["drop=after,kind=create"],
      WITH_CREATE,
      PINNED,
      [
        /^ +\d+ {2}create .* -> in doubt$/m,
        /^ {2}in doubt: 1 create in .*, line 4$/m,
        /^Next: if they are there: rec-push resume /m,
      ],
    ],
    [
      "what is not pinned",
      0,
      [],
      GOOD,
      [],
      [/^.*orders\.csv: inferred; to fix it for good, add: --delimiter comma\n$/],
    ],
  ])("says in words %s (exit %i), and nothing with --quiet", async (_, code, faults, content, argv, said) => {
    const { loud, quiet } = await pushJson(faults, content, argv);
    expect(loud.code).toBe(code);
    for (const words of said) expect(loud.stderr).toMatch(words);
    expect(loud.events().at(-1)).toMatchObject({ event: "summary", exitCode: code });
    expect(quiet.code).toBe(code);
    expect(quiet.stderr).toBe("");
    expect(quiet.events().map(({ event }) => event)).toEqual(loud.events().map(({ event }) => event));
  });

  it("is empty where all went well and all is pinned", async () => {
    const { loud } = await pushJson([], GOOD, PINNED);
    expect([loud.code, loud.stderr]).toEqual([0, ""]);
  });

  it("says before the first creates that no earlier push is known, and never again", async () => {
    const { push, home } = await openWorld();
    const first = await push([await makeFile("a.csv", WITH_CREATE), "--json", ...PINNED]);
    expect(first.stderr).toBe(
      `no earlier push is known in ${join(home, "rec-push")}: 1 create cannot be compared with earlier ones (rec-push ledger add FILE --table commandes --delimiter , --other-columns send counts the creates of an earlier export as made)\n`,
    );
    const next = await push([await makeFile("b.csv", "cle,num_commande\n,551038\n"), "--json", ...PINNED]);
    expect([next.code, next.stderr]).toEqual([0, ""]);
  });

  it("has the notes on a file with its name, and no line of batches or of how it is read", async () => {
    const file = fixture("csv/orders-excel-fr.csv");
    const { stderr } = await (await openWorld()).push([file, "--json"]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe(`${file}: note: line 1 is not UTF-8: read as windows-1252`);
    expect(lines[3]).toContain("--date-format DD/MM/YYYY");
  });

  it("has the invalid rows, those alike in one line, and the number of others beyond a screen", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `A${at},x${at}\n${",".repeat(at + 2)}`);
    const { loud } = await pushJson([], `${GOOD}${rows.join("\n")}\n`, [...PINNED, "--on-invalid", "skip"]);
    expect(loud.stderr.match(/ holds "x0", "x1", "x2":/g)).toHaveLength(1);
    expect(loud.stderr).toContain(`: 30 x column 2 "num_commande" holds "x0", "x1", "x2": `);
    expect(loud.stderr).toContain("... and 11 more problems; each is an event on standard output\n");
    expect(loud.events().filter(({ event }) => event === "reject")).toHaveLength(60);
  });

  it("has each reason of a failure once", async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `A${at},${at}`);
    const argv = [...PINNED, "--batch-size", "1", "--max-failed", "100"];
    const { loud } = await pushJson(["status=500"], `cle,num_commande\n${rows.join("\n")}\n`, argv);
    expect(loud.stderr.match(/-> failed/g)).toHaveLength(1);
  });

  it("says that a file was pushed before", async () => {
    const { push } = await openWorld();
    const argv = [await makeFile("orders.csv", WITH_CREATE), "--json", ...PINNED];
    await push(argv);
    const { stdout, stderr } = await push(argv);
    expect(stderr).toMatch(
      / was already pushed on .* no record is created twice; --again .* all the same\n$/,
    );
    expect(stdout).toMatch(/"event":"notice".*was already pushed.*"isAlwaysShown":true/);
    expect((await push([...argv, "--quiet"])).stderr).toBe("");
  });

  it("says which runs are open", async () => {
    const { sandbox, push, runs } = await openWorld(["status=500"]);
    const open = await makeFile("open.csv", GOOD);
    await push([open, "--json", "--retries", "0"]);
    const [run] = await runs();
    sandbox.setFaults([]);
    const { code, stderr } = await push([
      await makeFile("b.csv", "cle,num_commande\nB1,1\n"),
      "--json",
      ...PINNED,
    ]);
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`^Still open on this table: ${run} .*\n$`));
  });

  it("says how a resumed run ended", async () => {
    const { push, command, runs } = await openWorld(["drop=after,kind=create"]);
    await push([await makeFile("orders.csv", WITH_CREATE), "--json", ...PINNED]);
    const [run = ""] = await runs();
    const { code, stderr, events } = await command(["resume", run, "--json"]);
    expect(code).toBe(8);
    expect(stderr).toMatch(
      new RegExp(`Next: if they are there: rec-push resume ${run} --in-doubt [0-9a-f]{8}=applied`),
    );
    expect(events().at(-1)).toMatchObject({ event: "summary", run, exitCode: 8 });
    expect((await command(["resume", run, "--json", "--quiet"])).stderr).toBe("");
  });

  it("gets the events if the records have standard output", async () => {
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    const argv = ["check", file, "--json", "--records", "-", "--on-invalid", "skip"];
    const { stdout, stderr } = await runMain(argv);
    expect(stdout).toBe('{"cle":"A1","num_commande":"1"}\n');
    const events = stderr
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(["run", "survey", "reject", "summary"]);
    const wrong = await runMain([...argv, "--nosuch"]);
    expect(wrong.stdout).toBe("");
    expect(wrong.stderr).toMatch(/^{"event":"error".*\n{"event":"summary".*\n$/);
  });

  it("says why a check refused the file", async () => {
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,x\n");
    const { code, stderr } = await runMain(["check", file, "--json"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`${file}:2: column 2 "num_commande" holds "x"`);
  });

  it("has the stack of a fault of rec-push, also with --quiet", async () => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = {
      stdin: new PassThrough(),
      stdout,
      stderr,
      env: {},
      now: () => new Date(),
      get cwd(): string {
        throw new TypeError("broken on purpose");
      },
      onSignal: () => () => undefined,
    };
    expect(await main(["check", "a.csv", "--json", "--quiet"], io)).toBe(1);
    expect(String(stderr.read())).toMatch(
      /^error: a fault of rec-push, .*\nTypeError: broken on purpose\n +at /,
    );
  });
});

describe("a wrong usage with --json", () => {
  const usage = async (argv: readonly string[], env: Record<string, string> = {}) => {
    const file = await makeFile("orders.csv", GOOD);
    return runMain(
      argv.map((word) => (word === "FILE" ? file : word)),
      { env, others: "nothing" },
    );
  };

  it.each<[string, string[]]>([
    ["unknown-option", ["FILE", "--json", "--nosuch"]],
    ["unknown-option", ["--nosuch=abc", "--json", "FILE"]],
    ["unknown-option", ["init", "FILE", "--json"]],
    ["missing-argument", ["--json"]],
    ["missing-argument", ["check", "--json"]],
    ["excess-arguments", ["resume", "a", "b", "--json"]],
    ["option-missing-argument", ["FILE", "--json", "--table"]],
    ["bad-option-value", ["FILE", "--auth", "cookie", "--json", "-t", "t"]],
    ["missing-table", ["FILE", "--json"]],
    ["missing-url", ["FILE", "--json", "-t", "t"]],
    ["bad-option-value", ["FILE", "--json", "-t", "t", "--url", "https://h.example", "--rate", "x"]],
    ["no-run", ["resume", "--json"]],
    ["no-run", ["runs", "nosuch", "--json"]],
    ["no-run", ["runs", "abandon", "nosuch", "--json"]],
    ["config-unreadable", ["FILE", "--json", "-t", "t", "--config", "/no/such/config.json"]],
  ])("is an error %s and a summary: %j", async (code, argv) => {
    const run = await usage(argv, { REC_PUSH_TOKEN: "t0ken" });
    expect(run.code).toBe(2);
    const [error, summary, ...others] = run.events();
    expect(others).toEqual([]);
    expect(error).toMatchObject({ event: "error", kind: "usage", code, message: expect.any(String) });
    expect(summary).toMatchObject({ ...NO_RUN, reason: String(error?.["message"]).split("\n")[0] });
    expect(run.stderr).toMatch(/^error: /);
    expect(run.stderr).toContain(String(error?.["message"]).split("\n")[0]);
  });

  it("is one also where the config is wrong", async () => {
    const config = await makeFile("c.json", '{"tables":{"t":{"delimeter":";"}}}');
    const { code, events, stderr } = await usage(["FILE", "--json", "-t", "t", "--config", config]);
    expect(code).toBe(2);
    expect(events()).toMatchObject([{ event: "error", kind: "usage" }, NO_RUN]);
    expect(stderr).toContain("delimeter");
  });

  it("leaves standard error empty with --quiet", async () => {
    for (const argv of [["FILE", "--nosuch"], ["FILE"], ["check"], ["resume"]]) {
      const { code, stderr, events } = await usage([...argv, "--json", "-q"]);
      expect([code, stderr]).toEqual([2, ""]);
      expect(events()).toHaveLength(2);
    }
  });

  it("tells a hundred problems of a push that its rows stop, and how many more there are", async () => {
    const { push } = await openWorld();
    const rows = (key: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${key}${at},soon\n${key}x${at},2016-07-13\n`).join("");
    const one = await makeFile("a.csv", `cle,date_billed\n${rows("a", 70)}`);
    const two = await makeFile("b.csv", `cle,date_billed\n${rows("b", 80)}`);
    const { code, events } = await push([one, two, "--json", "-q"]);
    expect(code).toBe(3);
    expect(events().filter(({ event }) => event === "reject")).toHaveLength(100);
    expect(events().at(-1)).toMatchObject({ rejected: 150, notSent: 150, untoldRejects: 50 });
    const skipped = await push([two, "--on-invalid", "skip", "--json", "-q"]);
    expect(skipped.events().filter(({ event }) => event === "reject")).toHaveLength(80);
    expect(skipped.events().at(-1)).not.toHaveProperty("untoldRejects");
  });

  it("names in the summary what to do next", async () => {
    const { events } = await usage(["FILE", "--json"]);
    expect(events()[1]?.["next"]).toEqual([
      { why: "name the table to push to: --table NAME, or defaultTable in a config" },
    ]);
  });

  it("says nothing to programs without --json", async () => {
    for (const [argv, exit] of [
      [["FILE", "--nosuch"], 2],
      [["FILE"], 2],
      [["FILE", "-t", "t", "--", "--json"], 3],
    ] as const) {
      const { code, stdout, stderr } = await usage(argv);
      expect([code, stdout]).toEqual([exit, ""]);
      expect(stderr).toMatch(/^error: /);
    }
  });

  it("suggests the option that was meant, and says where the others are", async () => {
    expect((await usage(["FILE", "--jsno"])).stderr).toBe(
      "error: unknown option '--jsno'\n(Did you mean --json?)\n  rec-push help push lists the options\n",
    );
  });

  it.each([
    ["check", "--auth", "push, plan, ledger, login, doctor"],
    ["init", "--url", "push, check, plan, ledger, login, doctor"],
    ["doctor", "--batch-size", "push, plan, resume"],
    ["push", "--in-doubt", "resume"],
  ])("says of %s %s whose option it is, and proposes no other one", async (command, flag, whose) => {
    const { code, stderr } = await usage([command, ...(command === "doctor" ? [] : ["FILE"]), flag, "x"]);
    expect(code).toBe(2);
    expect(stderr).toBe(`error: unknown option '${flag}'\n  leave it out: it is an option of ${whose}\n`);
  });

  it.each([
    ["-table", "t"],
    ["-table=t", "--sandbox"],
    ["-on-invalid", "skip"],
  ])("refuses the option %s with one dash; -t would take the rest for the table", async (...words) => {
    const { code, stderr } = await usage(["FILE", ...words]);
    const [option = ""] = words[0].split("=");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: unknown option '${option}'\n  write -${option}, with two dashes\n`,
    });
  });

  it("takes a table whose name follows -t at once, and a value that begins with a dash", async () => {
    const free = { REC_PUSH_URL: "https://h.example" };
    for (const words of [["-table-of-orders"], ["-t", "-table"], ["-t", "t", "--", "-table"]])
      expect((await usage(["FILE", ...words], free)).stderr).toMatch(
        /^error: (?:no access token|-table: there is no)/,
      );
  });

  it("takes a file whose name has such signs", async () => {
    const cwd = await makeDirectory();
    const names = ["\u2014a.csv", "'b.csv'"];
    for (const name of names) await writeFile(join(cwd, name), "cle,num_commande\nA1,1\n");
    expect(await runProcess(["check", ...names], { cwd })).toMatchObject({ code: 0 });
  });
});

describe("a table that is locked", () => {
  it("is exit 9 for a run that is given up, in words and as events", async () => {
    const { home, push, command, runs } = await openWorld(["status=500"]);
    await push([await makeFile("orders.csv", GOOD), "--retries", "0"]);
    const state = placesIn(join(home, "rec-push"));
    const [run = ""] = await runs();
    const [{ url }] = (await command(["runs", "--json"])).events() as [{ url: string }];
    const lock = await takeTableLock(state, { url });
    const { code, stderr, events } = await command(["runs", "abandon", run, "--json"]);
    expect(code).toBe(9);
    expect(stderr).toMatch(/^error: /);
    expect(events().at(-1)).toMatchObject({ event: "summary", exitCode: 9, safeToRerun: true });
    if ("release" in lock) await lock.release();
  });
});
