import { readFileSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import {
  answered,
  holds,
  inEnv,
  nothingSent,
  scenario,
  type Step,
  write,
  wrote,
} from "../support/scenario.ts";
import { makeDirectory } from "../support/temp-files.ts";

const readConfig = async (dir: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(dir, "rec-push.config.json"), "utf8")) as Record<string, unknown>;

type Fiche = Readonly<Record<string, string>>;

const config = (text: string | RegExp): Step => holds("rec-push.config.json", text);

describe("rec-push init", () => {
  it.each<[string, string | Buffer, string[]]>([
    ["an Excel export in French", readFileSync(fixture("csv/orders-excel-fr.csv")), []],
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

  scenario(
    "takes every certain answer with --yes, writes it, and ends with the command that pushes",
    { "a.csv": "cle;Order No;date_billed;Note\nA1;551035;15/07/2016;x\n" },
    [
      [">init a.csv --table clients", 3],
      [">init a.csv --table clients --yes", 0, /\npush with: rec-push a\.csv --table clients\n/],
      [">check a.csv --table clients --config rec-push.config.json --quiet --pinned", 0, /^\s*$/],
    ],
  );
  scenario(
    "leaves open with --yes what only the user knows, and reports all of it",
    { "a.csv": "Code;Order No;date_billed\nA1;551035;05/07/2016\n" },
    [
      [
        ">init a.csv --table t --yes",
        3,
        'column 1 "Code" is the key: 1 update, 0 creates: --map Code=cle',
        "none of them: 0 updates, 1 create: --only creates --map Code=code",
        "--type date_billed=date:DD/MM/YYYY or",
      ],
      wrote(),
    ],
  );
  for (const content of ["Code;montant;lieu\nA;1;x\nB;2;x\nA ;3;x\n;4;x\nA;5;x\n", "Clt;montant\nA;1\nB;2\n"])
    scenario(
      `never takes a column for the key that has no key's name or no key's values: ${content}`,
      { "a.txt": content },
      [[">init a.txt --table t --yes", 0], config(/^(?![^]*"cle")/)],
    );
  for (const answer of ["--map 'Réf. fiche=cle'", "--only creates"])
    scenario(
      `writes the answer about the key, and the next push asks nothing: ${answer}`,
      { "a.csv": "Réf. fiche;num_commande\nF1;1\nF2;2\n" },
      [
        [">init a.csv --table t --yes", 3],
        [`>init a.csv --table t --yes ${answer}`, 0],
        write("a.csv", "Réf. fiche;num_commande\nF3;3\nF4;4\n"),
        [">check a.csv --table t", 0],
      ],
    );
  for (const [header, first, second, ...sent] of [
    ["port;remise", "A1;5;0\nA2;0;10\n", "A3;7,50;0\nA4;0;1 250,00\n", "7.50", "1250.00"],
    ["EcritureDate;Debit", "A1;20240115;1200,00\n", "A2;20240216;1 300,50\n", "2024-02-16", "1300.50"],
  ] as const)
    scenario(
      `fixes types under which the next night's values never go out raw: ${header}`,
      { "a.csv": `cle;${header}\n${first}` },
      [
        [">init a.csv --table t --yes", 0],
        write("a.csv", `cle;${header}\n${second}`),
        [">check a.csv --table t", 0, ...sent.map((value) => `-> ${value}`)],
      ],
    );
  scenario(
    "writes down no column without a value, so that the next night's values ask",
    { "a.csv": "Numéro;Date échéance;Montant dû\nF1;;\nF2;;\n", "b.csv": "cle;num_commande;paid\nA1;1;\n" },
    [
      [">init a.csv --table t --yes", 0],
      config(/"map": \{\s*"Numéro": "numero"\s*\}/),
      write("a.csv", "Numéro;Date échéance;Montant dû\nF3;15/07/2016;1 437,50\n"),
      [">check a.csv --table t", 3, '--map "Montant dû=montant_du" --type montant_du=amount'],
      [
        ">init b.csv -t u",
        0,
        "3  paid -> not declared, always empty: a push asks about it once it holds a value\n",
      ],
      config(/^(?![^]*"paid")/),
      write("b.csv", "cle;num_commande;paid\n"),
      [">check b.csv -t u", 0],
      write("b.csv", "cle;num_commande;paid\nA1;1;12,50\n"),
      [">check b.csv -t u", 3, 'column 3 "paid" is not declared; it would be paid, amount ("12,50")'],
    ],
  );
  scenario("writes what the survey settled, in a file that nobody else may write", {}, [
    [`>init ${fixture("csv/orders-excel-fr.csv")} -t commandes --other-columns send`, 0],
    async ({ directory }) => {
      expect(await readConfig(directory)).toMatchObject({
        tables: {
          commandes: {
            encoding: "windows-1252",
            delimiter: ";",
            map: { "Num commande": "num_commande", Clé: "cle" },
            fields: {
              date_billed: { type: "date:DD/MM/YYYY" },
              actual_billable_amount: { type: "amount:," },
              num_invoice: { type: "digits" },
            },
          },
        },
      });
      expect((await stat(join(directory, "rec-push.config.json"))).mode & 0o022).toBe(0);
    },
  ]);
  const accents = "cle;num_commande;note\nA1;1;Société générale, été\nA2;2;Hélène Béchu\n";
  scenario(
    "leaves the encoding of a file without accents to the files that have some",
    {
      "a.csv": "cle;num_commande;note\nA1;1;x\n",
      "latin1.csv": Buffer.from(accents, "latin1"),
      "utf8.csv": accents,
    },
    [
      [">init a.csv -t t --map note=note", 0, "files for the table t are read as above\n"],
      [">check latin1.csv -t t --records -", 0, "Société générale"],
      [">check utf8.csv -t t --records -", 0, "Société générale"],
      [">init utf8.csv -t u --map note=note", 0],
      config(/"u": \{\s*"encoding": "utf-8"/),
    ],
  );
  scenario("writes nothing from a file without rows", { "a.csv": "cle;num_commande;Date commande\n" }, [
    [
      ">init a.csv -t t",
      3,
      "the file has no rows, so that nothing shows how they are written",
      /\nno config was written\n$/,
    ],
    wrote(),
  ]);
  scenario(
    "adds a table to the config a push would use, and never replaces one",
    { "a.csv": "cle;state\nA1;x\n", "rec-push.config.json": '{"tables":{"a":{"delimiter":"|"}}}' },
    [
      ["init a.csv -t b", 0],
      config(/"a": \{\s*"delimiter": "\|"\s*\},\s*"b": \{\s*"delimiter": ";"/),
      ["init a.csv -t a", 2, "remove that section"],
      config(/"a": \{\s*"delimiter": "\|"\s*\}/),
    ],
  );
  const old = { profiles: { prod: { url: "https://x.example" } }, tables: { a: { delimiter: "|" } } };
  scenario(
    "adds a table to the file that --config names, not to that of the environment, and leaves its profiles",
    { "a.csv": "cle;state\nA1;x\n", "mine.json": JSON.stringify(old) },
    [
      ["init a.csv -t b --config mine.json", 0],
      inEnv({ REC_PUSH_CONFIG: "mine.json" }),
      ["init a.csv -t c", 0],
      config(/^\{\s*"tables": \{\s*"c"/),
      holds("mine.json", /"prod"[^]*"a": \{\s*"delimiter": "\|"\s*\},\s*"b"(?![^]*"c":)/),
    ],
  );
  scenario(
    "writes nothing where the reading is not certain, rows are invalid, or no table is named",
    { "a.csv": "cle,date_billed\nA1,01/02/2016\n", "b.csv": "cle,date_billed\nA1,soon\nA2,2016-07-05\n" },
    [
      ["init a.csv -t a", 3, /\nno config was written\n$/],
      [
        "init b.csv -t a",
        3,
        "error: 1 of 2 rows is invalid; nothing was sent\n",
        /\nno config was written\n$/,
      ],
      async ({ command, directory }) =>
        expect((await command(["init", join(directory, "b.csv")])).code).toBe(2),
      wrote(),
      ["init a.csv -t a --date-format DD/MM/YYYY", 0],
      config('"type": "date:DD/MM/YYYY"'),
    ],
  );
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

  const INIT = ">init a.csv --table t";
  const isQuestion = [/^(?!.*Write this)/, /./, /./, /./, /Write this into \S*rec-push\.config\.json\?/];
  scenario("asks what a push asks, in the same words, and sends nothing", { "a.csv": OPEN }, [
    answered(ANSWERS, INIT, 0, isQuestion),
    nothingSent,
    [">check a.csv --table t", 0],
    ...[
      /"order_date": \{\s*"type": "date:DD\/MM\/YYYY"/,
      /"paid_on": \{\s*"type": "date:MM\/DD\/YYYY"/,
      /"actual_billable_amount": \{\s*"type": "amount:,"/,
    ].map((text) => config(text)),
    ({ directory }) => rm(join(directory, "rec-push.config.json")),
    answered([...ANSWERS.slice(0, -1), "n"], ">push a.csv --table t --sandbox", 3, isQuestion.slice(0, 4)),
  ]);
  for (const [answer, code] of [
    ["n", 3],
    [undefined, 130],
  ] as const)
    scenario(`writes nothing after the answer ${answer}`, { "a.csv": OPEN }, [
      answered([...ANSWERS.slice(0, -1), answer], INIT, code, [], "no config was written"),
      wrote(),
    ]);
});

describe("a push with the config that init wrote from a JSON file", () => {
  const INIT = ">init a.json --yes --table commandes";
  const PUSH = ">push a.json --table commandes";
  const keyed = '[{"cle":"A1","num_commande":1},{"cle":"A2","num_commande":2}]';
  const empty = '[{"cle":"A1","num_commande":1,"paid":null}]';
  scenario(
    "stops if the key of all rows is gone, because each would be created; a file without rows is done",
    { "a.json": keyed },
    [
      [`${INIT} --other-columns drop`, 0],
      write("a.json", keyed.replaceAll('"cle"', '"uuid"')),
      [PUSH, 3, "the config expects the key cle, and no member goes to it"],
      write("a.json", "[]"),
      [PUSH, 0],
    ],
    [],
  );
  scenario(
    "goes on with new rows only, if some had no key before",
    { "a.json": '[{"cle":"A1","num_commande":1},{"num_commande":2}]' },
    [[INIT, 0], write("a.json", '[{"num_commande":3}]'), [PUSH, 0]],
    [{ cle: "F000001", num_commande: "3" }],
  );
  scenario(
    "goes on if an object is null in all rows, or a new member is",
    { "a.json": '[{"cle":"A1","num_commande":1,"customer":{"email":"a@b.example","zip":null}}]' },
    [
      [`${INIT} --flatten`, 0],
      write("a.json", '[{"cle":"A1","num_commande":1,"customer":null,"refund":null,"tags":[]}]'),
      [PUSH, 0],
    ],
    [{ cle: "A1", num_commande: "1" }],
  );
  scenario(
    "asks about a member that was always empty, once it holds a value, or gives it the type of its values",
    { "a.json": empty },
    [
      [INIT, 0],
      write("a.json", empty.replace("null", '"1 437,50"')),
      [PUSH, 3, 'member "paid" is not declared; it would be paid, amount ("1 437,50")'],
      [`${PUSH} --other-columns send`, 0],
    ],
    [{ cle: "A1", num_commande: "1", paid: "1437.50" }],
  );
  const answer = '{"errors":[{"field":"x"}],"data":[{"cle":"A1","num_commande":1}]}';
  scenario(
    "takes an answer with failures for an export only if init was given that answer",
    { "a.json": answer },
    [
      [`${INIT} --json-path data`, 3, "--type errors=text, if the member is no failure"],
      [`${INIT} --json-path data --type errors=text`, 0],
      [PUSH, 0],
    ],
  );
});
