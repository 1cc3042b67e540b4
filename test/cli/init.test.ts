import { readFileSync } from "node:fs";
import { copyFile, readFile, stat, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answering } from "../support/answering.ts";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeDirectory, makeFile } from "../support/temp-files.ts";

const readConfig = async (dir: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(dir, "rec-push.config.json"), "utf8")) as Record<string, unknown>;

type Fiche = Readonly<Record<string, string>>;

describe("rec-push init", () => {
  it.each<[string, string | Buffer, string[]]>([
    ["an Excel export in French", readFileSync(fixture("csv/orders-excel-fr.csv")), []],
    [
      "a JSON array",
      '[{"cle":"A1","Order No":551035,"date_billed":"13/07/2016"},{"cle":"A2","state":"x","date_billed":"01/02/2016"}]',
      ["--map", "Order No=num_commande"],
    ],
    [
      "a file without a header",
      "A1;13/07/2016;1,50\nA2;01/02/2016;2,25\n",
      ["--no-header", "--map", "1=cle", "--map", "2=date_billed", "--map", "3=paid_amount"],
    ],
    [
      "two columns with one name",
      "cle,x,x\nA1,1,2\n",
      ["--header-line", "1", "--map", "2=first", "--drop", "3"],
    ],
    [
      "a near miss, a constant",
      "clef\tstate\nA1\topen\nA2\tNULL\n",
      ["--map", "clef=clef", "--set", "source=a=b", "--null", "NULL,\\,"],
    ],
    [
      "types by option",
      "cle,paid,due\nA1,1.5,42500\n",
      ["--type", "paid=amount:.", "--type", "due=date:excel"],
    ],
    ["amounts of two decimal marks", "cle;a_amount;b_amount\nA1;1,50;1.50\nA2;2,345;1.234\n", []],
  ])("pins everything of %s, so that the next push needs no other option", async (_, content, argv) => {
    const dir = await makeDirectory();
    const file = join(dir, "input");
    await writeFile(file, content);
    const direct = await openSandbox();
    const target = (url: string, token: string): Record<string, string> => ({
      REC_PUSH_URL: url,
      REC_PUSH_TOKEN: token,
    });
    const plain = await runMain([file, "-t", "commandes", ...argv], {
      cwd: dir,
      env: target(direct.url, direct.token),
    });
    expect(plain.code).toBe(0);
    const init = await runMain(["init", file, "--table", "commandes", ...argv], { cwd: dir });
    expect(init.stdout).toContain(`wrote ${join(dir, "rec-push.config.json")}`);
    expect(init.code).toBe(0);
    const sandbox = await openSandbox();
    const env = target(sandbox.url, sandbox.token);
    const pushed = await runMain([file, "-t", "commandes", "--json"], { cwd: dir, env });
    expect(pushed.code).toBe(0);
    expect(pushed.events().at(-1)).toMatchObject({ unpinned: [] });
    const keyless = (record: object): object => ({ ...record, cle: expect.any(String) as unknown });
    // Updates and creates go at the same time.
    const byNumber = (a: Fiche, b: Fiche): number => Number(a["num_commande"]) - Number(b["num_commande"]);
    expect([...heldBy(sandbox)].sort(byNumber)).toEqual([...heldBy(direct)].sort(byNumber).map(keyless));
  });

  it("takes every certain answer with --yes, writes it, and ends with the line for cron", async () => {
    const cwd = await makeDirectory();
    const file = join(cwd, "clients.csv");
    await writeFile(file, "cle;Order No;date_billed;Note\nA1;551035;15/07/2016;x\n");
    const asked = await runMain(["init", file, "--table", "clients"], { cwd, others: "nothing" });
    expect(asked.code).toBe(3);
    const command = `rec-push init ${file} --table clients --yes`;
    expect(asked.stderr).toContain(`${command} accepts all of this`);
    const { code, stdout } = await runMain(command.split(" ").slice(1), { cwd, others: "nothing" });
    expect(code).toBe(0);
    const config = join(cwd, "rec-push.config.json");
    expect(stdout).toMatch(/\n {2}0 6 \* \* \* {2}rec-push \/\S+ --table clients --config \/\S+ --quiet\n$/);
    const argv = [file, "--table", "clients", "--config", config, "--quiet", "--pinned"];
    expect(await runMain(["check", ...argv], { cwd: "/", others: "nothing" })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  it("promises a config only if nothing else is open: then the next question comes", async () => {
    const cwd = await makeDirectory();
    const file = join(cwd, "sales.csv");
    await writeFile(file, "Order No;Order date\n551035;05/07/2016\n");
    const asked = await runMain(["check", file, "--table", "t"], { cwd, others: "nothing" });
    const [, command = ""] = /^ {2}(rec-push init .*?) accepts (.*)$/m.exec(asked.stderr) ?? [];
    expect(asked.stderr).toContain("accepts all of this and, if nothing else is open, writes it");
    const init = await runMain(command.split(" ").slice(1), { cwd, others: "nothing" });
    expect(init.code).toBe(3);
    expect(init.stderr).toContain("--type order_date=date:DD/MM/YYYY or");
    const answered = [...command.split(" ").slice(1), "--type", "order_date=date:DD/MM/YYYY"];
    expect(await runMain(answered, { cwd, others: "nothing" })).toMatchObject({ code: 0 });
  });

  it("leaves open with --yes what only the user knows, and reports all of it", async () => {
    const cwd = await makeDirectory();
    const file = join(cwd, "clients.csv");
    await writeFile(file, "Code;Order No;date_billed\nA1;551035;05/07/2016\n");
    const { code, stderr } = await runMain(["init", file, "--table", "t", "--yes"], {
      cwd,
      others: "nothing",
    });
    expect(code).toBe(3);
    expect(stderr).toContain('column 1 "Code" is the key: 1 update, 0 creates: --map Code=cle');
    expect(stderr).toContain("none of them: 0 updates, 1 create: --only creates --map Code=code");
    expect(stderr).toContain("--type date_billed=date:DD/MM/YYYY or");
    await expect(readConfig(cwd)).rejects.toThrow("ENOENT");
  });

  it.each([
    "Code;montant;lieu\nA;1;x\nB;2;x\nA ;3;x\n;4;x\nA;5;x\n",
    '[{"Code":"A"},{"Code":"B"},{"Code":"A"},{},{"Code":"A"}]',
    "Clt;montant\nA;1\nB;2\n",
    "Cde;montant\nA;1\nB;2\n",
  ])("never takes a column for the key that has no key's name or no key's values: %j", async (content) => {
    const cwd = await makeDirectory();
    await writeFile(join(cwd, "clients.txt"), content);
    const argv = ["init", join(cwd, "clients.txt"), "--table", "t", "--yes"];
    expect((await runMain(argv, { cwd, others: "nothing" })).code).toBe(0);
    expect(JSON.stringify(await readConfig(cwd))).not.toContain('"cle"');
  });

  it.each([
    ["--map", "Réf. fiche=cle"],
    ["--only", "creates"],
  ])("writes the answer about the key, and the next push asks nothing: %s %s", async (...answer) => {
    const cwd = await makeDirectory();
    const file = join(cwd, "a.csv");
    await writeFile(file, "Réf. fiche;num_commande\nF1;1\nF2;2\n");
    const init = (more: readonly string[]) =>
      runMain(["init", file, "--table", "t", "--yes", ...more], { cwd, others: "nothing" });
    expect((await init([])).code).toBe(3);
    expect((await init(answer)).code).toBe(0);
    await writeFile(file, "Réf. fiche;num_commande\nF3;3\nF4;4\n");
    const { code } = await runMain(["check", file, "--table", "t"], { cwd, others: "nothing" });
    expect(code).toBe(0);
  });

  it.each([
    ["port;remise\nA1;5;0\nA2;0;10\n", "A3;7,50;0\nA4;0;1 250,00\n", ["7.50", "1250.00"]],
    ["Fee;Net\nA1;-68.94;1491.06\n", 'A2;-1,068.94;"30,491.06"\n', ["-1068.94", "30491.06"]],
    ["EcritureDate;Debit\nA1;20240115;1200,00\n", "A2;20240216;1 300,50\n", ["2024-02-16", "1300.50"]],
  ])("fixes types under which the next night's values never go out raw: %j", async (first, second, sent) => {
    const cwd = await makeDirectory();
    const file = join(cwd, "a.csv");
    const [header = ""] = first.split("\n");
    await writeFile(file, `cle;${first}`);
    const argv = ["init", file, "--table", "t", "--yes"];
    expect((await runMain(argv, { cwd, others: "nothing" })).code).toBe(0);
    await writeFile(file, `cle;${header}\n${second}`);
    const { code, stdout } = await runMain(["check", file, "--table", "t"], { cwd, others: "nothing" });
    expect(code).toBe(0);
    for (const value of sent) expect(stdout).toContain(`-> ${value}`);
  });

  it("writes down no column without a value, so that the next night's values ask", async () => {
    const cwd = await makeDirectory();
    const file = join(cwd, "a.csv");
    await writeFile(file, "Numéro;Date échéance;Montant dû\nF1;;\nF2;;\n");
    const argv = ["init", file, "--table", "t", "--yes"];
    expect((await runMain(argv, { cwd, others: "nothing" })).code).toBe(0);
    expect(await readConfig(cwd)).toMatchObject({ tables: { t: { map: { Numéro: "numero" } } } });
    await writeFile(file, "Numéro;Date échéance;Montant dû\nF3;15/07/2016;1 437,50\n");
    const { code, stderr } = await runMain(["check", file, "--table", "t"], { cwd, others: "nothing" });
    expect(code).toBe(3);
    expect(stderr).toContain('--map "Montant dû=montant_du" --type montant_du=amount');
  });

  it("does not call columns empty where no row can be read", async () => {
    const file = join(await makeDirectory(), "clients.csv");
    await writeFile(file, 'place,town\n"A1"x,Paris\n"A2"x,Lyon\n');
    const { stderr } = await runMain(["check", file, "--header-line", "1"], { others: "nothing" });
    expect(stderr).toContain("it would be town, text (there is no row to look at)");
  });

  it("writes what the survey settled", async () => {
    const dir = await makeDirectory();
    await copyFile(fixture("csv/orders-excel-fr.csv"), join(dir, "a.csv"));
    await runMain(["init", join(dir, "a.csv"), "-t", "commandes"], { cwd: dir });
    expect(await readConfig(dir)).toMatchObject({
      tables: {
        commandes: {
          encoding: "windows-1252",
          delimiter: ";",
          decimal: ",",
          map: { "Num commande": "num_commande", Clé: "cle" },
          fields: { date_billed: { type: "date:DD/MM/YYYY" }, num_invoice: { type: "digits" } },
        },
      },
    });
    expect((await stat(join(dir, "rec-push.config.json"))).mode & 0o022).toBe(0);
  });

  it("leaves the encoding of a file without accents to the files that have some", async () => {
    const dir = await makeDirectory();
    const file = join(dir, "a.csv");
    await writeFile(file, "cle;num_commande;note\nA1;1;x\n");
    const argv = ["--map", "note=note"];
    const { stdout } = await runMain(["init", file, "-t", "t", ...argv], { cwd: dir });
    expect(stdout).toContain("nothing is inferred but the encoding, which shows in a file with accents\n");
    const text = "cle;num_commande;note\nA1;1;Société générale, été\nA2;2;Hélène Béchu\n";
    for (const encoding of ["latin1", "utf8"] as const) {
      await writeFile(file, Buffer.from(text, encoding));
      const { code, stdout: records } = await runMain(["check", file, "-t", "t", "--records", "-"], {
        cwd: dir,
      });
      expect([code, records]).toEqual([0, expect.stringContaining("Société générale")]);
    }
    await rm(join(dir, "rec-push.config.json"));
    await runMain(["init", file, "-t", "t", ...argv], { cwd: dir });
    expect(await readConfig(dir)).toMatchObject({ tables: { t: { encoding: "utf-8" } } });
  });

  it.each([
    ["a.csv", "cle;num_commande;Date commande\n"],
    ["a.json", '{"orders":[]}'],
  ])("writes nothing from %s, a file without rows", async (name, content) => {
    const cwd = await makeDirectory();
    const file = await makeFile(name, content);
    const { code, stderr } = await runMain(["init", file, "-t", "t"], { cwd, others: "nothing" });
    expect(stderr).toContain(
      "the file has no rows, so that nothing shows how they are written; no config was written",
    );
    expect(code).toBe(3);
    await expect(readConfig(cwd)).rejects.toThrow("ENOENT");
  });

  it("does not write a column that is always empty, and says so", async () => {
    const dir = await makeDirectory();
    const file = join(dir, "a.csv");
    await writeFile(file, "cle;num_commande;paid\nA1;1;\n");
    const { code, stdout } = await runMain(["init", file, "-t", "t"], { cwd: dir, others: "nothing" });
    expect(stdout).toContain(
      "3  paid -> not declared, always empty: a push asks about it once it holds a value\n",
    );
    expect(code).toBe(0);
    expect(JSON.stringify(await readConfig(dir))).not.toContain("paid");
    const check = async (content: string) => {
      await writeFile(file, content);
      return runMain(["check", file, "-t", "t"], { cwd: dir, others: "nothing" });
    };
    expect((await check("cle;num_commande;paid\n")).code).toBe(0);
    const { stderr } = await check("cle;num_commande;paid\nA1;1;12,50\n");
    expect(stderr).toContain('column 3 "paid" is not declared; it would be paid, amount ("12,50")');
  });

  it("adds a table to the config a push would use, and never replaces one", async () => {
    const dir = await makeDirectory();
    const old = { tables: { a: { delimiter: "|" } } };
    await writeFile(join(dir, "rec-push.config.json"), JSON.stringify(old));
    const file = await makeFile("rows.csv", "cle;state\nA1;x\n");
    const init = async (argv: string[]): Promise<[number, string]> => {
      const { code, stderr } = await runMain(["init", file, ...argv], { cwd: dir });
      return [code, stderr];
    };
    expect(await init(["-t", "b"])).toEqual([0, ""]);
    expect(await readConfig(dir)).toMatchObject({ ...old, tables: { ...old.tables, b: { delimiter: ";" } } });
    const before = await readFile(join(dir, "rec-push.config.json"), "utf8");
    expect(await init(["-t", "a"])).toEqual([2, expect.stringContaining("remove that section")]);
    expect(await readFile(join(dir, "rec-push.config.json"), "utf8")).toBe(before);
  });

  it("adds a table to the file that --config names, and leaves its profiles as they are", async () => {
    const dir = await makeDirectory();
    const old = { profiles: { prod: { url: "https://x.example" } }, tables: { a: { delimiter: "|" } } };
    const path = await makeFile("mine.json", JSON.stringify(old));
    const file = await makeFile("rows.csv", "cle;state\nA1;x\n");
    const env = { REC_PUSH_CONFIG: path };
    expect((await runMain(["init", file, "-t", "b", "--config", path], { cwd: dir })).code).toBe(0);
    const written = { ...old, tables: { ...old.tables, b: { delimiter: ";" } } };
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject(written);
    // The config that the environment names is for services; tables are not written into it.
    expect((await runMain(["init", file, "-t", "c"], { cwd: dir, env })).code).toBe(0);
    expect(Object.keys(await readConfig(dir))).toEqual(["tables"]);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject(written);
  });

  it("writes nothing where the reading is not certain, rows are invalid, or no table is named", async () => {
    const dir = await makeDirectory();
    const ambiguous = await makeFile("a.csv", "cle,date_billed\nA1,01/02/2016\n");
    const invalid = await makeFile("b.csv", "cle,date_billed\nA1,soon\nA2,2016-07-05\n");
    const run = async (argv: string[]) => runMain(["init", ...argv], { cwd: dir });
    const init = async (argv: string[]): Promise<number> => (await run(argv)).code;
    const asked = await run([ambiguous, "-t", "a"]);
    expect([asked.code, asked.stderr]).toEqual([3, expect.stringMatching(/\nno config was written\n$/)]);
    const { code, stderr } = await run([invalid, "-t", "a"]);
    expect(code).toBe(3);
    expect(stderr).toContain("error: 1 of 2 rows is invalid; no config was written\n");
    expect(stderr).not.toContain("nothing was sent");
    expect(stderr.match(/no config was written/g)).toHaveLength(1);
    expect(await init([invalid])).toBe(2);
    await expect(readConfig(dir)).rejects.toThrow("ENOENT");
    expect(await init([ambiguous, "-t", "a", "--date-format", "DD/MM/YYYY"])).toBe(0);
    expect(await readConfig(dir)).toMatchObject({
      tables: { a: { fields: { date_billed: { type: "date:DD/MM/YYYY" } } } },
    });
  });
});

describe("init on a terminal", () => {
  const OPEN =
    "cle;Order date;paid_on;Amount\nA1;05/07/2016;05/07/2016;1,234\nA2;06/07/2016;06/07/2016;2,345\n";
  const ANSWERS = [
    // Not alike: each column by itself.
    "3",
    "--type order_date=date:DD/MM/YYYY",
    "--type paid_on=date:MM/DD/YYYY",
    "--type actual_billable_amount=amount:,",
    "y",
  ];

  async function open() {
    const cwd = await makeDirectory();
    const file = join(cwd, "a.csv");
    await writeFile(file, OPEN);
    const run = (words: readonly string[], answers?: readonly (string | undefined)[]) => {
      const person = answering(answers ?? []);
      const world = { cwd, others: "nothing", ...(answers && { openAsker: person.openAsker }) } as const;
      return runMain([...words, file, "--table", "t"], world).then((end) => ({ ...end, ...person }));
    };
    return { cwd, run };
  }

  it("asks what a push asks, in the same words, and sends nothing", async () => {
    const { cwd, run } = await open();
    const init = await run(["init"], ANSWERS);
    expect([init.code, init.left]).toEqual([0, []]);
    expect(init.questions.at(-1)).toContain(`Write this into ${join(cwd, "rec-push.config.json")}?`);
    expect(await readConfig(cwd)).toMatchObject({
      tables: {
        t: {
          fields: {
            order_date: { type: "date:DD/MM/YYYY" },
            paid_on: { type: "date:MM/DD/YYYY" },
            actual_billable_amount: { type: "amount:," },
          },
        },
      },
    });
    const pushed = await (await open()).run(["--sandbox"], [...ANSWERS.slice(0, -1), "n"]);
    expect(init.questions.slice(0, -1)).toEqual(pushed.questions.slice(0, -1));
    expect(init.questions).toHaveLength(5);
    expect((await run(["check"])).code).toBe(0);
  });

  it.each([
    ["n", 3],
    [undefined, 130],
  ])("writes nothing after the answer %s", async (answer, code) => {
    const { cwd, run } = await open();
    const { code: ended, left, stderr } = await run(["init"], [...ANSWERS.slice(0, -1), answer]);
    expect([ended, left, stderr]).toEqual([code, [], expect.stringContaining("no config was written")]);
    await expect(readConfig(cwd)).rejects.toThrow("ENOENT");
  });
});
