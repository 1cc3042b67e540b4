import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { answering } from "../support/answering.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { HAS_TERMINALS, runInTerminal } from "../support/run-in-terminal.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeDirectory } from "../support/temp-files.ts";

const FRENCH =
  "cle;N° commande;date_billed;Montant HT;Note\nA1;551035;15/07/2016;1 250,00;x\n;551036;06/07/2016;3,50;y\n";

async function openPush(content: string, more: Readonly<Record<string, string>> = {}) {
  const cwd = await makeDirectory();
  const file = join(cwd, "a.csv");
  await writeFile(file, content);
  const sandbox = await openSandbox();
  const env = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token, ...more };
  const push = (argv: readonly string[], person?: ReturnType<typeof answering>, isWithFile = true) =>
    runMain([...(isWithFile ? [file] : []), "--table", "commandes", ...argv], {
      cwd,
      env,
      others: "nothing",
      ...(person === undefined ? {} : { openAsker: person.openAsker }),
    });
  return { cwd, file, sandbox, push };
}

/** The records of a service, without the keys that it assigned. */
/** In the order of their numbers, as updates and creates go at the same time. */
const held = (sandbox: Sandbox): object[] =>
  [...heldBy(sandbox)]
    .sort((a, b) => Number(a["num_commande"]) - Number(b["num_commande"]))
    .map(({ cle, ...record }) => [cle !== undefined, record]);

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
      const { file, sandbox } = await openPush(content);
      const env = {
        REC_PUSH_URL: sandbox.url,
        REC_PUSH_TOKEN: sandbox.token,
        XDG_STATE_HOME: makeStateHome(),
      };
      const size = { rows: 40, columns: 100 };
      const argv = [[file, "--table", "commandes"]];
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
  it("shows the plan and asks one question; y sends the same as the pasted ready line", async () => {
    const asked = await openPush(FRENCH);
    const person = answering(["y", "n"]);
    const { code, stdout, stderr } = await asked.push([], person);
    expect(code).toBe(0);
    expect(person.questions[0]).toBe("Send 1 update, 1 create? [y/n] ");
    expect(person.questions).toHaveLength(2);
    expect(stderr).toMatch(/header in line 1.*\n.*cle -> cle, text/);
    expect(stderr).toContain("N° commande -> num_commande (guessed), digits");
    expect(stderr).toContain("Note -> note (new), text");
    expect(stderr).toContain("15/07/2016 -> 2016-07-15");
    expect(person.shown.join("\n")).toContain('key: column "cle"');
    expect(stdout).toContain("2 rows read: 2 accepted");

    const pasted = await openPush(FRENCH);
    const [, ready = ""] = /^ {2}add (.*)$/m.exec((await pasted.push([])).stderr) ?? [];
    expect((await pasted.push(splitWords(ready))).code).toBe(0);
    expect(held(asked.sandbox)).toEqual(held(pasted.sandbox));
    expect(held(asked.sandbox)).toHaveLength(2);
  });

  it("takes an answer that makes a type more precise, proposed or typed, and prints steps that go together", async () => {
    const dates = "cle;Order date\nA1;05/07/2016\nA2;06/07/2016\n";
    const named = ["--map", "Order date=order_date", "--type", "order_date=date"];
    const answer = "--type order_date=date:DD/MM/YYYY";
    for (const argv of [[], named]) {
      const { push, sandbox } = await openPush(dates);
      expect((await push(argv, answering([answer, "y", "n"]))).code).toBe(0);
      expect(held(sandbox)).toEqual([
        [true, { order_date: "2016-07-05" }],
        [true, { order_date: "2016-07-06" }],
      ]);
    }
    const { push } = await openPush(dates);
    const [, first = ""] = /^ {2}add (.*)$/m.exec((await push([])).stderr) ?? [];
    const second = await push(splitWords(first));
    expect(second.stderr).toContain(answer);
    expect((await push([...splitWords(first), ...splitWords(answer)])).code).toBe(0);
  });

  it("sends nothing after n, keeps nothing and says so in one sentence", async () => {
    const { push, sandbox, cwd } = await openPush(FRENCH);
    const person = answering(["n"]);
    const { code, stderr, stdout } = await push([], person);
    expect(person.left).toEqual([]);
    expect(code).toBe(3);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe("nothing was sent, and no answer is kept");
    expect(stdout).toBe("");
    expect(sandbox.requests().requests).toBe(0);
    expect(await readdir(cwd)).toEqual(["a.csv"]);
  });

  it("ends with 130 if the user breaks off", async () => {
    const { push, sandbox } = await openPush(FRENCH);
    const { code, stderr } = await push([], answering([undefined]));
    expect(code).toBe(130);
    expect(stderr).toContain("nothing was sent");
    expect(sandbox.requests().requests).toBe(0);
  });

  it("writes the config if the user wants it, and asks nothing about the next file", async () => {
    const { push, cwd } = await openPush(FRENCH);
    const { code, stdout } = await push([], answering(["y", "y"]));
    expect(code).toBe(0);
    expect(stdout).toContain(`wrote ${join(cwd, "rec-push.config.json")}`);
    expect((await push(["--again"], answering([]))).code).toBe(0);
  });

  it("adds the answers alone to a section that is there", async () => {
    const { push, cwd } = await openPush("cle;date_billed\nA1;05/07/2016\nA2;06/07/2016\n");
    const config = join(cwd, "rec-push.config.json");
    await writeFile(config, '{"tables":{"commandes":{"onRepeat":"last","null":["-"]}}}');
    const person = answering(["--type date_billed=date:DD/MM/YYYY", "y", "y"]);
    expect((await push(["--null", "?,NA", "--batch-size", "7"], person)).code).toBe(0);
    expect(JSON.parse(await readFile(config, "utf8"))).toEqual({
      tables: {
        commandes: {
          onRepeat: "last",
          null: ["-", "?", "NA"],
          fields: { date_billed: { type: "date:DD/MM/YYYY" } },
        },
      },
    });
    expect((await push(["--again"], answering([]))).code).toBe(0);
  });

  it("tells the question about one file if another one lacks the column that its answer names", async () => {
    const { cwd, push, sandbox } = await openPush("cle;Nom\nA1;Dupont\n");
    const other = join(cwd, "b.csv");
    await writeFile(other, "cle;num_commande\nB1;7\n");
    const { code, stderr } = await push([other], answering([]));
    expect(code).toBe(3);
    expect(stderr).toContain('column 2 "Nom" is not declared');
    expect(stderr).not.toContain("there is no such column");
    expect(sandbox.requests().requests).toBe(0);
  });

  it("asks what has two readings before it shows the plan", async () => {
    const { push, sandbox } = await openPush("Code;date_billed\nA1;05/07/2016\nA2;06/07/2016\n");
    const dates = "--type date_billed=date:MM/DD/YYYY";
    const person = answering(["--map Code=cle", dates, "y", "n"]);
    expect((await push([], person)).code).toBe(0);
    expect(person.questions[0]).toContain("may be the key cle");
    expect(heldBy(sandbox)[0]).toEqual({ cle: "A1", date_billed: "2016-05-07" });
  });

  it("keeps an answer for its column: another one may be written otherwise", async () => {
    const { push, sandbox } = await openPush(
      "cle;date_billed;date_closed;actual_billable_amount;tax_amount\nF1;01/11/2026;04/12/2026;1.234;2.345\nF2;02/10/2026;05/12/2026;3.456;4.567\n",
    );
    const person = answering([
      "--type date_billed=date:DD/MM/YYYY",
      "--type date_closed=date:MM/DD/YYYY",
      "--type actual_billable_amount=amount:,",
      "--type tax_amount=amount:.",
      "y",
      "y",
    ]);
    expect((await push([], person)).code).toBe(0);
    expect(heldBy(sandbox)[0]).toEqual({
      cle: "F1",
      date_billed: "2026-11-01",
      date_closed: "2026-04-12",
      actual_billable_amount: "1234",
      tax_amount: "2.345",
    });
    // Also where nobody is asked, and by the config that was written.
    expect((await push(["--pinned", "--again"])).code).toBe(0);
    expect(heldBy(sandbox)[1]).toMatchObject({ date_billed: "2026-10-02", date_closed: "2026-05-12" });
  });

  it("asks whether a total is one, beside other questions", async () => {
    const total = `${FRENCH}Total;;;1 253,50;\n`;
    for (const [answer, rows] of [
      ["--totals skip", 2],
      ["--totals keep=Total", 3],
    ] as const) {
      const { push, sandbox } = await openPush(total);
      const person = answering([answer, "y", "n"]);
      expect((await push([], person)).code).toBe(0);
      expect(person.questions[0]).toBe("line 4 looks like a total: leave it out?");
      expect(heldBy(sandbox)).toHaveLength(rows);
    }
  });

  it("shows what a date means in each form", async () => {
    const { push, sandbox } = await openPush(
      "cle;date_billed;date_closed\nF1;01/11/2026;04/12/2026\nF2;02/10/2026;05/12/2026\n",
    );
    const dayFirst = ["--type date_billed=date:DD/MM/YYYY", "--type date_closed=date:DD/MM/YYYY"];
    const person = answering([...dayFirst, "y", "n"]);
    expect((await push([], person)).code).toBe(0);
    expect(person.shown.join("\n")).toContain("1  1 November 2026   --type date_billed=date:DD/MM/YYYY");
    expect(heldBy(sandbox)[0]).toEqual({ cle: "F1", date_billed: "2026-11-01", date_closed: "2026-12-04" });
  });

  it("asks whether invalid rows are left out, and shows them before", async () => {
    const content = "cle;num_commande;date_billed\nA1;1;15/07/2016\nA2;2;31/11/2016\nA3;3;16/07/2016\n";
    const yes = await openPush(content);
    const person = answering(["--on-invalid skip", "y", "n"]);
    const { code, stderr } = await yes.push([], person);
    expect(code).toBe(4);
    expect(stderr).toContain("a.csv:3: column 3");
    expect(person.questions[0]).toBe("1 of 3 rows is invalid: send the other 2?");
    expect(heldBy(yes.sandbox).map(({ cle }) => cle)).toEqual(["A1", "A3"]);
    const no = await openPush(content);
    const ended = await no.push([], answering(["2"]));
    expect([ended.code, no.sandbox.requests().requests]).toEqual([3, 0]);
    expect(ended.stderr).toMatch(/^nothing was sent, and no answer is kept\n$/m);
  });

  it("is asked once what the files of a table hold, and the next file asks nothing", async () => {
    const rows = (from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, at) => `${from + at};${from + at},50`);
    const fileOf = (lines: readonly string[]): string =>
      `num_commande;actual_billable_amount\n${lines.join("\n")}\n`;
    const { push, sandbox, file, cwd } = await openPush(fileOf(rows(1000, 1010)), {
      XDG_STATE_HOME: makeStateHome(),
    });
    expect((await push([])).code).toBe(0);
    const second = join(cwd, "b.csv");
    const changed = ["1000;999,00", ...rows(1001, 1013)];
    await writeFile(second, fileOf(changed));
    const person = answering(["--exports full --identify-by num_commande", "y", "y"]);
    const { code } = await push([second], person, false);
    expect(person.questions.slice(0, 2)).toEqual([
      expect.stringContaining("What do the files of this table hold?"),
      "Send 3 creates? (9 were created before, 1 differs) [y/n] ",
    ]);
    expect(code).toBe(4);
    expect(heldBy(sandbox)).toHaveLength(13);
    expect(await readFile(join(cwd, "rec-push.config.json"), "utf8")).toContain('"num_commande"');
    await writeFile(file, fileOf([...changed, "1013;5,00"]));
    expect((await push([], answering([]))).code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(14);
  });

  it.each([
    ["a file with nothing to settle", "cle,date_billed\nA1,15/07/2016\n", [], 0],
    ["--json", FRENCH, ["--json"], 3],
    ["--quiet", FRENCH, ["--quiet"], 3],
    ["--pinned", FRENCH, ["--pinned"], 3],
    ["--no-input", FRENCH, ["--no-input"], 3],
    ["rows that no answer makes valid", "cle,date_billed\nA1,2016-02-30\n", [], 3],
  ])("asks nothing: %s", async (_, content, argv, code) => {
    const { push } = await openPush(content);
    expect((await push(argv, answering([]))).code).toBe(code);
  });
});
