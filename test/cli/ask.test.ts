import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { openWorld } from "../support/open-world.ts";
import { HAS_TERMINALS, runInTerminal } from "../support/run-in-terminal.ts";
import {
  answered,
  holds,
  holdsCount,
  holdsKeys,
  nothingSent,
  scenario,
  type Step,
  write,
  wrote,
} from "../support/scenario.ts";

const FRENCH =
  "cle;N° commande;date_billed;Montant HT;Note\nA1;551035;15/07/2016;1 250,00;x\n;551036;06/07/2016;3,50;y\n";

/** The service holds these records, in the order of their numbers, beside the keys that it assigned. */
const holdsRecords =
  (...expected: readonly object[]): Step =>
  ({ held }) => {
    const byNumber = held().toSorted((a, b) => Number(a["num_commande"]) - Number(b["num_commande"]));
    expect(byNumber).toMatchObject(expected);
  };
/** This was shown before or beside the questions. */
const shows =
  (text: string): Step =>
  ({ last }) =>
    expect(last.shown).toContain(text);
const PUSH = ">push a.csv --table commandes";
const KEPT = "rec-push.config.json";
const LOADED = [
  { num_commande: "551035", date_billed: "2016-07-15", actual_billable_amount: "1250.00", note: "x" },
  { num_commande: "551036", date_billed: "2016-07-06", actual_billable_amount: "3.50", note: "y" },
];

describe.runIf(HAS_TERMINALS)("a real terminal", () => {
  const plan = { shown: /Send 1 update, 1 create\? \[y\/n\] /, keys: "y\r" };
  const keep = { shown: /Keep these answers [^]*\[y\/n\] /, keys: "n\r" };
  it.each([
    ["y", 0, FRENCH, "2 accepted", [plan, keep]],
    ["Ctrl-C", 130, FRENCH, "nothing was sent", [{ ...plan, keys: "\u0003" }]],
    // A push that succeeded stays a success.
    ["Ctrl-D after the push", 0, FRENCH, "2 accepted", [plan, { ...keep, keys: "\u0004" }]],
    [
      "Enter, which chooses nothing, and then n",
      3,
      FRENCH,
      "nothing was sent",
      [
        { ...plan, keys: "\r" },
        { shown: /\[y\/n\] [^]*\[y\/n\] /, keys: "n\r" },
      ],
    ],
  ] as const)(
    "takes %s, ends with %i and leaves the cursor shown",
    async (_, code, content, text, typing) => {
      const { sandbox, file, env } = await openWorld();
      const argv = [[await file("a.csv", content), "--table", "commandes"]];
      const size = { rows: 40, columns: 100 };
      const session = await runInTerminal(argv, size, env, undefined, "nothing", typing);
      expect([session.code, session.shown]).toEqual([code, expect.stringContaining(text)]);
      expect(session.shown.lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(
        session.shown.lastIndexOf("\u001b[?25l"),
      );
      expect(sandbox.requests().requests > 0).toBe(code === 0);
    },
  );
});

describe("a push on a terminal", () => {
  scenario(
    "shows the plan and asks one question; y sends the same as the pasted ready line",
    { "a.csv": FRENCH },
    [
      [`${PUSH} --no-input`, 3],
      async ({ last, command, directory }) => {
        const [, ready = ""] = /^ {2}add (.*)$/m.exec(last.stderr) ?? [];
        const argv = ["check", join(directory, "a.csv"), ...splitWords(ready), "--records", "-"];
        expect((await command(argv)).stdout).toContain('"actual_billable_amount":"1250.00"');
      },
      answered(
        ["y", "n"],
        PUSH,
        0,
        ["Send 1 update, 1 create? [y/n] "],
        /header in line 1.*\n.*cle -> cle, text/,
        "N° commande -> num_commande (guessed), digits",
        "Note -> note (new), text",
        "15/07/2016 -> 2016-07-15",
        "2 rows read: 2 accepted",
      ),
      shows('key: column "cle"'),
      holdsRecords(...LOADED),
      wrote(),
    ],
  );
  const dates = "cle;Order date\nA1;05/07/2016\nA2;06/07/2016\n";
  const precise = "--type order_date=date:DD/MM/YYYY";
  scenario(
    "takes an answer that makes a type more precise, and prints steps that go together",
    { "a.csv": dates },
    [
      answered([precise, "y", "n"], `${PUSH} --map 'Order date=order_date' --type order_date=date`, 0),
      holdsRecords({ order_date: "2016-07-05" }, { order_date: "2016-07-06" }),
      [PUSH, 3],
      async ({ last, command, directory }) => {
        const [, first = ""] = /^ {2}add (.*)$/m.exec(last.stderr) ?? [];
        const argv = ["check", join(directory, "a.csv"), ...splitWords(first)];
        expect((await command(argv)).stderr).toContain(precise);
        expect((await command([...argv, ...splitWords(precise)])).code).toBe(0);
      },
    ],
  );
  scenario("sends nothing and keeps nothing after n, or if the user breaks off", { "a.csv": FRENCH }, [
    answered(["n"], PUSH, 3, [], /nothing was sent, and no answer is kept\n$/, { not: "rows read" }),
    answered([undefined], PUSH, 130, [], "nothing was sent"),
    nothingSent,
    wrote(),
  ]);
  scenario(
    "writes the config if the user wants it, and asks nothing about the next file",
    { "a.csv": FRENCH },
    [answered(["y", "y"], PUSH, 0, [], `wrote ${KEPT}`), answered([], `${PUSH} --again`, 0)],
  );
  scenario(
    "adds the answers alone to a section that is there",
    {
      "a.csv": "cle;date_billed\nA1;05/07/2016\nA2;06/07/2016\n",
      [KEPT]: '{"tables":{"commandes":{"onRepeat":"last","null":["-"]}}}',
    },
    [
      answered(["--type date_billed=date:DD/MM/YYYY", "y", "y"], `${PUSH} --null ?,NA --batch-size 7`, 0),
      async ({ directory }) =>
        expect(JSON.parse(await readFile(join(directory, KEPT), "utf8"))).toEqual({
          tables: {
            commandes: {
              onRepeat: "last",
              null: ["-", "?", "NA"],
              fields: { date_billed: { type: "date:DD/MM/YYYY" } },
            },
          },
        }),
      answered([], `${PUSH} --again`, 0),
    ],
  );
  scenario(
    "tells the question about one file if another one lacks the column that its answer names",
    { "a.csv": "cle;Nom\nA1;Dupont\n", "b.csv": "cle;num_commande\nB1;7\n" },
    [
      answered([], PUSH.replace("a.csv", "a.csv b.csv"), 3, [], 'column 2 "Nom" is not declared', {
        not: "there is no such column",
      }),
      nothingSent,
    ],
  );
  scenario(
    "asks what has two readings before it shows the plan",
    { "a.csv": "Code;date_billed\nA1;05/07/2016\nA2;06/07/2016\n" },
    [
      answered(["--map Code=cle", "--type date_billed=date:MM/DD/YYYY", "y", "n"], PUSH, 0, [
        /may be the key cle/,
      ]),
    ],
    [
      { cle: "A1", date_billed: "2016-05-07" },
      { cle: "A2", date_billed: "2016-06-07" },
    ],
  );
  scenario(
    "keeps an answer for its column, and shows what a date means in each form: another column may be written otherwise",
    {
      "a.csv":
        "cle;date_billed;date_closed;actual_billable_amount;tax_amount\nF1;01/11/2026;04/12/2026;1.234;2.345\nF2;02/10/2026;05/12/2026;3.456;4.567\n",
    },
    [
      answered(
        [
          "--type date_billed=date:DD/MM/YYYY",
          "--type date_closed=date:MM/DD/YYYY",
          "--type actual_billable_amount=amount:,",
          "--type tax_amount=amount:.",
          "y",
          "y",
        ],
        PUSH,
        0,
      ),
      shows("1  1 November 2026   --type date_billed=date:DD/MM/YYYY"),
      // Also where nobody is asked, and by the config that was written.
      [`${PUSH} --pinned --again`, 0],
    ],
    [
      {
        cle: "F1",
        date_billed: "2026-11-01",
        date_closed: "2026-04-12",
        actual_billable_amount: "1234",
        tax_amount: "2.345",
      },
      {
        cle: "F2",
        date_billed: "2026-10-02",
        date_closed: "2026-05-12",
        actual_billable_amount: "3456",
        tax_amount: "4.567",
      },
    ],
  );
  for (const [answer, rows] of [
    ["--totals skip", 2],
    ["--totals keep=Total", 3],
  ] as const)
    scenario(`asks whether a total is one: ${answer}`, { "a.csv": `${FRENCH}Total;;;1 253,50;\n` }, [
      answered([answer, "y", "n"], PUSH, 0, ["line 4 looks like a total: leave it out?"]),
      holdsCount(rows),
    ]);
  const invalid = "cle;num_commande;date_billed\nA1;1;15/07/2016\nA2;2;31/11/2016\nA3;3;16/07/2016\n";
  scenario("asks whether invalid rows are left out, and shows them before", { "a.csv": invalid }, [
    answered(["2"], PUSH, 3, [], /^nothing was sent, and no answer is kept\n$/m),
    nothingSent,
    answered(
      ["--on-invalid skip", "y", "n"],
      PUSH,
      4,
      ["1 of 3 rows is invalid: send the other 2?"],
      "a.csv:3: column 3",
    ),
    holdsKeys("A1=1", "A3=3"),
  ]);
  const rows = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, at) => `${from + at};${from + at},50`);
  const fileOf = (lines: readonly string[]): string =>
    `num_commande;actual_billable_amount\n${lines.join("\n")}\n`;
  const changed = ["1000;999,00", ...rows(1001, 1013)];
  scenario(
    "is asked once what the files of a table hold, and the next file asks nothing",
    { "a.csv": fileOf(rows(1000, 1010)), "b.csv": fileOf(changed) },
    [
      [PUSH, 0],
      answered(["--exports full --identify-by num_commande", "y", "y"], PUSH.replace("a.", "b."), 4, [
        /What do the files of this table hold\?/,
        "Send 3 creates? (9 were created before, 1 differs) [y/n] ",
      ]),
      holdsCount(13),
      holds(KEPT, '"num_commande"'),
      write("a.csv", fileOf([...changed, "1013;5,00"])),
      answered([], PUSH, 0),
      holdsCount(14),
    ],
  );
  scenario(
    "asks nothing where nothing is to be settled, nobody can answer, or no answer makes a row valid",
    {
      "a.csv": FRENCH,
      "b.csv": "cle,date_billed\nA1,15/07/2016\n",
      "c.csv": "cle,date_billed\nA1,2016-02-30\n",
    },
    [
      ...["--json", "--quiet", "--pinned", "--no-input"].map((words) => answered([], `${PUSH} ${words}`, 3)),
      answered([], PUSH.replace("a.", "b."), 0),
      answered([], PUSH.replace("a.", "c."), 3),
    ],
  );
});
