import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { runMain } from "../support/run-main.ts";
import { runProcess } from "../support/run-process.ts";
import { faults, scenario, type ScenarioWorld, type Step } from "../support/scenario.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const GOOD = "cle,num_commande\nA1,551035\nA2,551036\n";
const WITH_CREATE = `${GOOD},551037\n`;
const DATES = "cle,date_billed\nA1,05/07/2016\n";
const PUSH = "push orders.csv --json --retries 0 --delimiter ,";

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

const eventsOf = ({ last }: ScenarioWorld): readonly Record<string, unknown>[] =>
  last.stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
const kindsOf = (world: ScenarioWorld) => eventsOf(world).map(({ event }) => event);
const besideNotices = (world: ScenarioWorld) => kindsOf(world).filter((kind) => kind !== "notice");
const rejectsOf = (world: ScenarioWorld) => kindsOf(world).filter((kind) => kind === "reject").length;
/** Standard error is this text. */
const errorIs =
  (text: string | RegExp): Step =>
  ({ last: { stderr } }) =>
    typeof text === "string" ? expect(stderr).toBe(text) : expect(stderr).toMatch(text);
/** The last line told nothing in words, and these events. */
const tellsOnly =
  (...kinds: readonly string[]): Step =>
  (world) =>
    expect([world.last.stderr, kindsOf(world)]).toEqual(["", kinds]);

describe("standard error with --json", () => {
  const endings: readonly (readonly [string, number, string, string, string, ...RegExp[]])[] = [
    [
      "a question",
      3,
      "",
      DATES,
      "",
      /^error: .*orders\.csv: column "date_billed": line 2 "05\/07\/2016" is /m,
      /^ {2}--type date_billed=/m,
    ],
    [
      "invalid rows",
      3,
      "",
      "cle,num_commande\nA1,x\n",
      "",
      /orders\.csv:2: column 2 "num_commande" holds "x": /,
    ],
    [
      "rows left out, and how to mend them",
      4,
      "",
      `${GOOD}A3,x\n`,
      "--on-invalid skip",
      /orders\.csv:4: .*holds "x"/,
      /^3 rows read: 2 accepted, 1 rejected /m,
      /^Next: mend the 1 row in /m,
    ],
    [
      "a record that is refused",
      4,
      "refuse=num_commande:551036",
      GOOD,
      "",
      /orders\.csv:3: .*551036/,
      /1 refused/,
    ],
    [
      "a token that is refused",
      5,
      "status=401",
      GOOD,
      "",
      /^error: .* refuses the token \(401\)/m,
      /^ {2}check the token/m,
      /^Next: give a valid token/m,
    ],
    [
      "a table that is not there",
      6,
      "status=404",
      GOOD,
      "",
      /^error: .* does not take records for this table/m,
      /^Next: mend the request/m,
    ],
    [
      "a service in trouble",
      7,
      "status=500",
      GOOD,
      "",
      /^ +\d+ {2}update .* 500 Something went wrong.* -> failed$/m,
      /^Next: wait until/m,
    ],
    [
      "what is in doubt",
      8,
      "drop=after,kind=create",
      WITH_CREATE,
      "",
      /^ +\d+ {2}create .* -> in doubt$/m,
      /^ {2}in doubt: 1 create in .*, line 4$/m,
      /^Next: if they are there: rec-push resume /m,
    ],
  ];
  for (const [name, exit, fault, content, words, ...said] of endings) {
    let kinds: readonly unknown[] = [];
    scenario(`says in words ${name} (exit ${exit}), and nothing with --quiet`, { "orders.csv": content }, [
      faults(...(fault === "" ? [] : [fault])),
      [`${PUSH} ${words}`, exit, ...said, { tells: { event: "summary", exitCode: exit } }],
      (world) => void (kinds = besideNotices(world)),
      [`${PUSH} ${words} --table another --quiet`, exit],
      (world) => expect([world.last.stderr, besideNotices(world)]).toEqual(["", kinds]),
    ]);
  }

  scenario(
    "says what is not pinned, and is empty where all went well and all is pinned",
    { "orders.csv": GOOD },
    [
      ["push orders.csv --json", 0],
      errorIs("orders.csv: inferred; to fix it for good, add: --delimiter comma\n"),
      [PUSH, 0],
      errorIs(""),
    ],
  );

  scenario(
    "says before the first creates that no earlier push is known, and never again; and that a file was pushed before",
    { "orders.csv": WITH_CREATE, "b.csv": "cle,num_commande\n,551038\n" },
    [
      [PUSH, 0],
      errorIs(
        /^no earlier push is known in \S+: 1 create cannot be compared with earlier ones \(rec-push ledger add FILE --table commandes, with the options of this push, counts the creates of an earlier export as made\)\n$/,
      ),
      [PUSH.replace("orders", "b"), 0],
      errorIs(""),
      [PUSH, 0, /"event":"notice".*was already pushed.*"isAlwaysShown":true/],
      errorIs(/ was already pushed on .* no record is created twice; --again .* all the same\n$/),
      [`${PUSH} --quiet`, 0, "was already pushed"],
      errorIs(""),
    ],
  );

  const french = fixture("csv/orders-excel-fr.csv");
  scenario("has the notes on a file with its name, and no line of batches or of how it is read", {}, [
    [`push ${french} --json`, 0],
    ({ last: { stderr } }) => {
      const lines = stderr.trimEnd().split("\n");
      expect(lines).toHaveLength(4);
      expect(lines[0]).toBe(`${french}: note: line 1 is not UTF-8: read as windows-1252`);
      expect(lines[2]).toContain("--type date_billed=date:DD/MM/YYYY");
    },
  ]);

  const flawed = Array.from({ length: 30 }, (_, at) => `A${at},x${at}\n${",".repeat(at + 2)}`);
  scenario(
    "has the invalid rows, those alike in one line, and the number of others beyond a screen",
    { "orders.csv": `${GOOD}${flawed.join("\n")}\n` },
    [
      [
        `${PUSH} --on-invalid skip`,
        4,
        `: 30 x column 2 "num_commande" holds "x0", "x1", "x2": `,
        "... and 11 more problems; each is an event on standard output\n",
      ],
      (world) => {
        expect(world.last.stderr.match(/ holds "x0", "x1", "x2":/g)).toHaveLength(1);
        expect(rejectsOf(world)).toBe(60);
      },
    ],
  );

  it("gets the events if the records have standard output", async () => {
    const file = await makeFile("orders.csv", "cle,num_commande\nA1,1\nA2,x\n");
    const argv = ["check", file, "--json", "--records", "-", "--on-invalid", "skip"];
    const { stdout, stderr } = await runMain(argv);
    expect(stdout).toBe('{"cle":"A1","num_commande":"1"}\n');
    expect(stderr.match(/(?<=^\{"event":")\w+/gm)).toEqual(["run", "survey", "reject", "summary"]);
    const wrong = await runMain([...argv, "--nosuch"]);
    expect(wrong.stdout).toBe("");
    expect(wrong.stderr).toMatch(/^{"event":"error".*\n{"event":"summary".*\n$/);
  });
});

describe("a wrong usage with --json", () => {
  it.each<[string, string]>([
    ["unknown-option", "FILE --json --nosuch"],
    ["unknown-option", "init FILE --json"],
    ["wrong-usage", "--json"],
    ["wrong-usage", "resume a b --json"],
    ["bad-option-value", "FILE --auth cookie --json -t t"],
    ["missing-table", "FILE --json"],
    ["missing-url", "FILE --json -t t"],
    ["no-run", "resume --json"],
    ["bad-option-value", "FILE --json -t t --url https://h.example --concurrency auto:0"],
    ["no-run", "runs abandon nosuch --json"],
    ["bad-config", "FILE --json -t t --config /no/such/config.json"],
  ])("is an error %s and a summary: %s", async (code, line) => {
    const file = await makeFile("orders.csv", GOOD);
    const argv = line.replace("FILE", file).split(" ");
    const run = await runMain(argv, { env: { REC_PUSH_TOKEN: "t0ken" }, others: "nothing" });
    expect(run.code).toBe(2);
    const [error, summary, ...others] = run.events();
    expect(others).toEqual([]);
    expect(error).toMatchObject({ event: "error", kind: "usage", code, message: expect.any(String) });
    const [reason] = String(error?.["message"]).split("\n");
    expect(summary).toMatchObject({ ...NO_RUN, reason });
    expect(run.stderr).toMatch(/^error: /);
    expect(run.stderr).toContain(reason);
  });

  scenario(
    "leaves standard error empty with --quiet, and names in the summary what to do next",
    {
      "orders.csv": GOOD,
    },
    [
      ...["push orders.csv --nosuch", ">orders.csv", "check", "resume"].flatMap((line): Step[] => [
        [`${line} --json -q`, 2],
        tellsOnly("error", "summary"),
      ]),
      [
        ">orders.csv --json",
        2,
        {
          tells: { next: ["name it: --table NAME"] },
        },
      ],
    ],
  );

  const rows = (key: string, count: number): string =>
    Array.from({ length: count }, (_, at) => `${key}${at},soon\n${key}x${at},2016-07-13\n`).join("");
  scenario(
    "tells a hundred problems of a push that its rows stop, and how many more there are",
    { "a.csv": `cle,date_billed\n${rows("a", 70)}`, "b.csv": `cle,date_billed\n${rows("b", 80)}` },
    [
      [
        "push a.csv b.csv --json -q",
        3,
        { tells: { event: "summary", rejected: 150, notSent: 150, untoldRejects: 50 } },
      ],
      (world) => expect(rejectsOf(world)).toBe(100),
      ["push b.csv --on-invalid skip --json -q", 4, { not: "untoldRejects" }],
      (world) => expect(rejectsOf(world)).toBe(80),
    ],
  );
});

describe("a wrong usage", () => {
  const isRefused = (line: string, stderr: string): readonly Step[] => [[line, 2], errorIs(stderr)];
  scenario(
    "suggests the option that was meant, or says which commands have it, or where all are",
    {
      "orders.csv": GOOD,
    },
    [
      ...isRefused(
        "push orders.csv --jsno",
        "error: unknown option '--jsno'\n(Did you mean --json?)\n  rec-push help push lists the options\n",
      ),
      ...(
        [
          ["check orders.csv", "--auth", "push, plan, ledger, login, doctor"],
          ["init orders.csv", "--url", "push, check, plan, ledger, login, doctor"],
          ["doctor", "--batch-size", "push, plan, resume"],
          ["push orders.csv", "--in-doubt", "resume"],
        ] as const
      ).flatMap(([line, flag, whose]) =>
        isRefused(
          `>${line} ${flag} x`,
          `error: unknown option '${flag}'\n  leave it out: it is an option of ${whose}\n`,
        ),
      ),
    ],
  );
  scenario("is an option with one dash, as -t would take the rest for the table", { "orders.csv": GOOD }, [
    ...["-table t", "-table=t --sandbox", "-on-invalid skip"].flatMap((words) => {
      const [option] = words.split(/[ =]/);
      return isRefused(
        `>orders.csv ${words}`,
        `error: unknown option '${option}'\n  write -${option}, with two dashes\n`,
      );
    }),
    // A table may follow -t at once, and a value may begin with a dash.
    [">orders.csv -table-of-orders", 0],
    [">orders.csv -t -table", 0],
    [">orders.csv -t t -- -table", 3, "-table: there is no"],
  ]);
  it("is no file whose name begins with such signs", async () => {
    const cwd = await makeDirectory();
    const names = ["\u2014a.csv", "'b.csv'"];
    for (const name of names) await writeFile(join(cwd, name), GOOD);
    expect(await runProcess(["check", ...names], { cwd })).toMatchObject({ code: 0 });
  });
});
