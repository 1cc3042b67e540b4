import { describe } from "vitest";
import { openWorld } from "../support/open-world.ts";
import { runMain } from "../support/run-main.ts";
import { edit, faults, nothingSent, scenario, write } from "../support/scenario.ts";
import { expect, it } from "vitest";
import { makeFile } from "../support/temp-files.ts";

const REPEATS = "cle,libelle\nA1,one\nA2,two\n,new\nA1,three\nA2,four\nA1,five\n,new\n";

describe("--on-repeat", () => {
  scenario("stop names the first repeated key with its lines, and sends nothing", { "a.csv": REPEATS }, [
    ["push a.csv --on-repeat stop", 3, 'a.csv:5: the key "A1" is already in line 2; nothing was sent'],
    nothingSent,
    write("a.csv", "cle,libelle\nA1,one\nA2,one\n,new\n,new\n"),
    ["push a.csv --on-repeat stop", 0, "4 accepted"],
  ]);
  scenario("last sends the last row of a key and counts the others as skipped", { "a.csv": REPEATS }, [
    [
      "push a.csv --on-repeat last --json",
      0,
      /"event":"survey".*"updates":2.*"superseded":3/,
      /"read":7,"accepted":4,.*"notSent":0,"skipped":3/,
    ],
    ({ sandbox }) =>
      expect(new Set(sandbox.store.snapshot("commandes").map(({ libelle }) => libelle))).toEqual(
        new Set(["five", "four", "new"]),
      ),
  ]);
  scenario("all sends every row", { "a.csv": REPEATS }, [["push a.csv --on-repeat all", 0, "7 accepted"]]);
  scenario(
    "last keeps the last valid row where invalid ones are left out, and a total is no repeated key",
    {
      "a.csv": "cle,date_billed\nA1,2016-07-05\nA1,2016-07-06\nA1,2016-02-31\n",
      "b.csv": "cle,libelle,n\nA1,x,1\nA2,y,2\nTotal,,3\nTotal,,3\n",
      "c.json": '[{"cle":"A","n":"1"},{"cle":"A","n":"2"},{"cle":"B","n":"3"}]',
    },
    [
      [
        "check a.csv --on-repeat last --on-invalid skip --records -",
        4,
        /^{"cle":"A1","date_billed":"2016-07-06"}\n\n/,
        "1 row is left out: a later row has the same key (--on-repeat last)",
      ],
      ["check b.csv --on-repeat last --on-invalid skip", 4, "4 rows read: 2 rejected, 2 ready to send"],
      ["check c.json --on-repeat last --records -", 0, /^{"cle":"A","n":"2"}\n{"cle":"B","n":"3"}\n\n/],
    ],
  );
});

describe("what the user expects of a file", () => {
  const orders = "cle,num_commande,paid_amount,note\nA1,1,1000.10,x\nA2,2,-0.30,y\nA3,3,,z\n";
  const push = "push a.csv --quiet --delimiter , --decimal .";
  for (const said of [
    "--expect-rows 3",
    "--expect-rows 1..3",
    "--expect-rows 3..",
    "--expect-rows ..3",
    "--expect-sum paid_amount=999.8",
    "--expect-sum paid_amount=+999.800",
  ])
    scenario(`lets a file pass that is as ${said} says`, { "a.csv": orders }, [
      [`${push} ${said}`, 0, /^\s*$/],
      ({ numbers }) => expect(numbers()).toEqual(["1", "2", "3"]),
    ]);
  for (const [said, text] of [
    ["--expect-rows 4", "3 records, and --expect-rows is 4"],
    ["--expect-rows 4..", "3 records, and --expect-rows is 4.."],
    ["--expect-rows 0..2", "3 records, and --expect-rows is ..2"],
    ["--expect-sum paid_amount=999.81", "is 999.80 in 2 amounts, 0.01 less than --expect-sum 999.81"],
    ["--expect-sum paid_amount=-1", "is 999.80 in 2 amounts, 1000.80 more than --expect-sum -1"],
    ["--expect-sum amount=1", "--expect-sum names amount, which has no sum; its amounts are paid_amount"],
    ["--expect-sum note=1", "--expect-sum names note, which has no sum"],
  ] as const)
    scenario(`stops a file that is not as ${said} says`, { "a.csv": orders }, [
      [`${push} ${said}`, 3, text, `correct ${said.split(" ")[0]}`],
      nothingSent,
      [`check a.csv ${said}`, 3, text],
    ]);
  const wrong = ["rows x", "rows ..", "rows 5..1", "rows 1,000", "sum paid_amount", "sum paid_amount=12,50"];
  scenario(
    "is a wrong usage in other words",
    { "a.csv": orders },
    wrong.map((said) => [`${push} --expect-${said}`, 2] as const),
  );
  scenario(
    "counts rows that give a record, without invalid rows and totals, and with the earlier rows of a key",
    {
      "a.csv": `${orders}A4,x,50.00,w\n,Total,,\n`,
      "b.csv": "cle,libelle,paid_amount\nA1,un,1.25\nA2,deux,2.50\n,Total,3.75\n",
      "c.csv": "cle,paid_amount\nA,1\nA,2\n",
    },
    [
      [`${push} --on-invalid skip --expect-sum paid_amount=999.80 --expect-rows 3`, 4],
      ["check b.csv --totals skip --expect-sum paid_amount=3.75", 0],
      ["check c.csv --on-repeat last --expect-rows 2 --expect-sum paid_amount=3", 0],
    ],
  );
  scenario(
    "is exact beyond what floating point holds",
    { "a.csv": `cle,paid_amount\n${"A,0.1\n".repeat(10)}B,90071992547409930.01\n` },
    [
      ["check a.csv --expect-sum paid_amount=90071992547409931.01", 0],
      ["check a.csv --expect-sum paid_amount=90071992547409931.02", 3],
    ],
  );
});

describe("--pinned", () => {
  const french = Buffer.from(
    "cle;libelle;date_billed;actual_billable_amount\nA1;Écran;13/07/2016;1,5\n",
    "latin1",
  );
  const types = ["--type date_billed=date:DD/MM/YYYY", "--type actual_billable_amount=amount:,"];
  const pins = ["--encoding windows-1252", "--delimiter ;", ...types];
  scenario("stops before anything is sent, and lists every option to add", { "a.csv": french }, [
    [
      "push a.csv --pinned",
      3,
      "--pinned: 4 things are inferred; nothing was sent",
      /--type date_billed=date:DD\/MM\/YYYY is inferred \(date_billed is settled by line 2/,
      `add: --encoding windows-1252 --delimiter semicolon ${types.join(" ")}`,
    ],
    nothingSent,
    ...pins.map((missing): [string, number] => [
      `check a.csv --pinned ${pins
        .filter((pin) => pin !== missing)
        .join(" ")
        .replace(";", "';'")}`,
      3,
    ]),
    [`check a.csv --pinned ${pins.join(" ").replace(";", "';'")}`, 0],
  ]);
  scenario(
    "wants no option for UTF-8, JSON and one column, and one for each amount column where they differ",
    {
      "a.json": '[{"cle":"é","actual_billable_amount":1.5}]',
      "a.csv": "libelle\n5 é\n",
      "b.csv": "cle;actual_billable_amount;a_amount\nA1;1,50;1.50\n",
    },
    [
      ["check a.json --pinned", 0],
      ["check a.csv --pinned --map libelle=libelle", 0],
      [
        "check b.csv --pinned --delimiter ';'",
        3,
        "add: --type actual_billable_amount=amount:, --type a_amount=amount:.",
      ],
      [
        "check b.csv --pinned --delimiter ';' --type actual_billable_amount=amount:, --type a_amount=amount:.",
        0,
      ],
    ],
  );
  const FIXES = "--encoding windows-1252 --delimiter semicolon --type date_billed=date:DD/MM/YYYY";
  scenario(
    "is what is said under --quiet too, and fixes everything",
    {
      "a.csv": Buffer.from("cle;libelle;date_billed\nA1;déjà;13/07/2016\n", "latin1"),
      "b.csv": "cle;libelle\nA1;x\n",
    },
    [
      ["check a.csv --quiet", 0, FIXES],
      ["check a.csv", 0, FIXES],
      [`check a.csv --quiet --pinned ${FIXES}`, 0, /^\s*$/],
      [
        "check a.csv --json",
        0,
        '"unpinned":["--encoding windows-1252","--delimiter semicolon","--type date_billed=date:DD/MM/YYYY"]',
      ],
      ["check b.csv --quiet", 0, "b.csv: inferred; to fix it for good, add: --delimiter semicolon"],
    ],
  );
});

describe("cells that a spreadsheet or a program has spoilt", () => {
  for (const [name, field, value, said] of [
    ["an exponent", "num_commande", "1.23457E+15", "a spreadsheet has cut it to an exponent"],
    ["a serial", "date_billed", "42555", "42555"],
    ["an error", "actual_billable_amount", "#N/A", "it is an error of a spreadsheet formula"],
    ["a narrow column", "date_billed", "########", "its column was too narrow"],
  ] as const)
    scenario(`are rejected with their line: ${name}`, { "a.csv": `cle;${field}\nA1;${value}\n` }, [
      ["check a.csv", 3, /a\.csv:2: column 2/, `holds "${value}"`, said],
    ]);
  scenario(
    "are noted where text was decoded twice, and only there",
    {
      "a.csv": "cle;libelle\nA1;Écran\nA2;Ã©cran\nA3;NÂ°\n",
      "b.csv": "cle;libelle\nA1;Âge, château, N° 5 €\n",
    },
    [
      ["check a.csv --quiet", 0, '2 cells hold "Ã©cran" or the like (the first in line 3)', "decoded twice"],
      ["check b.csv", 0, { not: "decoded twice" }],
    ],
  );
  for (const [field, value, option] of [
    ["date_billed", "0000-00-00 00:00:00", '--null "0000-00-00 00:00:00"'],
    ["actual_billable_amount", false, "--null false"],
    ["num_commande", false, "--null false"],
  ] as const)
    scenario(
      `mean no value by the option that is printed: ${field} ${value}`,
      {
        "a.json": JSON.stringify([
          { cle: "A1", [field]: value, num_invoice: "1" },
          { cle: "A2", [field]: field === "date_billed" ? "2016-07-05" : 12, num_invoice: "2" },
        ]),
      },
      [
        ["check a.json -t t", 3, `${option}, if it means no value in every column`],
        [`check a.json -t t ${option}`, 0],
      ],
    );
});

describe("--key-literal", () => {
  const keys = "cle;pays;num_commande\nNA;Namibie;551001\n-;personne;551002\nFR;France;551003\n";
  const config = JSON.stringify({ tables: { commandes: { keyLiteral: ["NA", "a,b"] } } });
  scenario("is named if a key does not look like one, and adds up with that of a config", { "a.csv": keys }, [
    [
      "check a.csv -t commandes",
      3,
      'column 1 "cle" holds "NA": it means no value, and it is not certain whether the row is a create (--null NA reads it as a blank cell, --key-literal NA as a key)',
    ],
    ["check a.csv -t commandes --key-literal NA,- --null NA --records -", 0, '{"cle":"NA",', '{"cle":"-",'],
    write("rec-push.config.json", config),
    ["check a.csv -t commandes", 3],
    ["check a.csv -t commandes --key-literal -", 0],
  ]);
});

describe("--pivot-year", () => {
  const births = "cle;date_birth;etat\nA1;14/03/45;ouvert\nA2;26/07/12;clos\n";
  const check = "check a.csv -t commandes --records -";
  scenario(
    "is named where a year of two digits lies far ahead, and each answer is what it says",
    { "a.csv": births },
    [
      [
        `${check} --on-invalid skip`,
        3,
        'column "date_birth": line 2 "14/03/45" is 14 March 1945 or 14 March 2045',
        "--type date_birth=date:45 or --type date_birth=date:70",
      ],
      [`${check} --pivot-year=45`, 0, '"date_birth":"1945-03-14"'],
      [`${check} --type=date_birth=date:45`, 0, '"date_birth":"1945-03-14"'],
      [`${check} --pivot-year 70`, 0, '"date_birth":"2045-03-14"'],
      [`${check} --pivot-year 2001`, 2, "--pivot-year"],
    ],
  );
  scenario("counts in a config too, for all columns or one, and init writes it", { "a.csv": births }, [
    ...[{ pivotYear: 45 }, { pivotYear: 70, fields: { date_birth: { type: "date:DD/MM/YYYY:45" } } }].flatMap(
      (commandes) => [
        write("rec-push.config.json", JSON.stringify({ tables: { commandes } })),
        [check, 0, '"date_birth":"1945-03-14"'] as const,
      ],
    ),
    write("rec-push.config.json", "{}"),
    ["init a.csv --key-literal NA --pivot-year 45", 0],
    write("a.csv", `${births}NA;01/01/50;ouvert\n`),
    [`${check} --pinned`, 0, '{"cle":"NA","date_birth":"1950-01-01","etat":"ouvert"}'],
  ]);
  scenario(
    "of a run is kept, whoever types the command",
    { "a.csv": `${births}NA;13/01/50;ouvert\n` },
    [
      faults("status=401"),
      ["push a.csv --pivot-year 45 --key-literal NA", 5],
      faults(),
      ["push a.csv --key-literal NA --pivot-year 70", 2, "--pivot-year: 1945 then, nothing now"],
      ["push a.csv --pivot-year 45 --key-literal NA,-", 2, '--key-literal: "NA" then, "-", "NA" now'],
      ["resume", 0],
    ],
    [
      { cle: "A1", date_birth: "1945-03-14", etat: "ouvert" },
      { cle: "A2", date_birth: "2012-07-26", etat: "clos" },
      { cle: "NA", date_birth: "1950-01-13", etat: "ouvert" },
    ],
  );
  scenario("makes no other run where only the usual one is added", { "a.csv": "cle;date_x\nA1;26/07/99\n" }, [
    faults("status=401"),
    ["push a.csv", 5],
    faults(),
    ["push a.csv --pivot-year 70", 0],
  ]);
  it("is judged on the day of the command; a run goes on later once the order is fixed", async () => {
    const { push, command, sandbox } = await openWorld(["status=401"]);
    const check = ["check", await makeFile("births.csv", births)];
    for (const [day, code] of [
      [13, 3],
      [14, 0],
    ] as const)
      expect((await runMain(check, { now: new Date(2044, 2, day) })).code).toBe(code);
    const file = await makeFile("orders.csv", "cle;date_x\nA1;27/11/10\nA2;28/11/99\n");
    // On that day years in front would be in the future, so the year must be last; two years later both are possible.
    expect((await push([file], { now: new Date(2026, 10, 21) })).code).toBe(5);
    sandbox.setFaults([]);
    const fixed = [file, "--type", "date_x=date:DD/MM/YYYY"];
    expect(await push(fixed, { now: new Date(2029, 0, 1) })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 accepted"),
    });
    expect((await command(["resume"])).stderr).toContain("no run is open");
  });
});

describe("leading zeros that a spreadsheet cut", () => {
  const orders = (count: number, zeros: string): string =>
    `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${zeros}${1001 + at};13/07/2016\n`).join("")}`;
  for (const words of ["", "--exports full --identify-by num_commande"])
    scenario(
      `make no other record of a create, ${words || "without an option"}`,
      { "a.csv": orders(30, "00"), "b.csv": orders(32, "") },
      [
        [`push a.csv ${words}`, 0],
        [`push b.csv ${words}`, 0, "30 of 32 creates were created before"],
        ({ numbers }) => expect(numbers()).toHaveLength(32),
      ],
    );
});

describe("a row unlike all others", () => {
  const balance =
    "Datum;Text;Betrag\n03.02.2017;Strom;-80,10\n14.02.2017;Lohn;1900,00\n;Neuer Saldo;1819,90\n";
  const failure =
    '{"cle":"P1","note":"x"}\n{"cle":"P2","note":"y"}\n{"title":"Gone","status":410,"detail":"expired"}\n';
  for (const [name, text, line, told, option, rows] of [
    ["balance.csv", balance, 4, 'holds "Neuer Saldo": the row looks like a total', "totals", 2],
    ["failure.ndjson", failure, 3, 'holds "Gone | 410 | expired": the row is unlike all others', "sparse", 2],
  ] as const)
    scenario(
      `in ${name} stops, and an answer leaves it out, which is said under --quiet too`,
      { [name]: text },
      [
        [
          `push ${name}`,
          3,
          told,
          `--${option} skip leaves such rows out`,
          new RegExp(`${name}:(?:${line}:| 2 x)`),
        ],
        nothingSent,
        [
          `push ${name} --${option} skip --quiet`,
          0,
          new RegExp(String.raw`left out \(--${option} skip\): (?:line|record) ${line} `),
        ],
        ({ sandbox }) => expect(sandbox.store.snapshot("commandes")).toHaveLength(rows),
      ],
    );
  scenario(
    "is rejected with the others sent; is a row if an option says so, but never a total with it",
    { "failure.ndjson": failure, "balance.csv": balance },
    [
      ["push failure.ndjson --on-invalid skip", 4, "3 rows read: 2 accepted, 1 rejected"],
      ["push failure.ndjson --sparse keep", 0, "3 accepted"],
      ["push balance.csv --sparse keep", 3],
    ],
  );
  const plain = Array.from({ length: 5000 }, (_, at) => `P${at};2017-02-03;${at}.50;x`).join("\n");
  scenario(
    "is found behind thousands of plain rows, which are surveyed many at a time",
    { "a.csv": `cle;date_closed;paid_amount;note\n${plain}\n;;;voir annexe B, page 3\n` },
    [["push a.csv", 3, 'a.csv:5002: holds "voir annexe B, page 3": the row'], nothingSent],
  );
});

describe("the header", () => {
  scenario(
    "is asked for below a line of a program's version, the line of the header first",
    {
      "datev.csv":
        '"EXTF";700;21;"Buchungsstapel";13\n"Umsatz";"S/H";"WKZ";"Konto";"Buchungstext"\n"100,00";"S";"EUR";"1200";"Papier"\n"250,50";"H";"EUR";"4400";"Stifte"\n',
    },
    [
      [
        ">check datev.csv",
        3,
        "is above the header in line 2",
        "--header-line 2 leaves out all lines above it",
      ],
      ["check datev.csv --header-line 2", 0, "header in line 2"],
    ],
  );
  scenario(
    "does not make a delimiter of a sign that tears every row except it",
    {
      "movements.csv":
        'Datum;Účet;Název;Částka;Měna;Částka;Id,\n27.05.2018;"27/1";"Jan";"-1,00";"CZK";"";3228446118\n',
    },
    [[">check movements.csv", 3, 'holds "Částka" twice']],
  );
});

describe("a push without --table", () => {
  const config = (given: object): string => JSON.stringify(given);
  const two = { clients: {}, commandes: {} };
  const rows = "cle,num_commande\nA1,1\n";
  scenario("goes to the only table of the config, and says so", { "a.csv": rows }, [
    write("rec-push.config.json", config({ tables: { commandes: {} } })),
    [
      "a.csv --sandbox",
      0,
      'rec-push.config.json, table "commandes"',
      "The sandbox's table commandes now holds 1 record",
    ],
    ["a.csv --sandbox --table clients", 0, "The sandbox's table clients now holds"],
    write("rec-push.config.json", config({ tables: two })),
    ["a.csv --sandbox", 2, "name it: --table NAME"],
  ]);
  scenario("or with two sends nothing to either; a table that is named twice is one", { "a.csv": rows }, [
    [
      "a.csv --sandbox -t commandes -t factures",
      2,
      'error: two tables: "commandes" and "factures"\n  a command has',
    ],
    ["a.csv --sandbox --table commandes --table=commandes", 0, "table commandes now holds 1 record"],
  ]);
});

describe("a column that the config of init expects", () => {
  const whole = "cle;Order No;date_billed;Note\nA1;551035;15/07/2016;x\n";
  const steps = [
    ['>init a.csv -t t --map "Order No=num_commande" --drop Note', 0],
    edit("rec-push.config.json", '"date_billed": {', '"date_billed": { "required": true,'),
  ] as const;
  const check = (content: string) => [...steps, write("b.csv", content)] as const;
  scenario("is reported if the file lacks it, under --quiet too", { "a.csv": whole }, [
    ...check("cle;date_billed\nA1;15/07/2016\n"),
    [
      ">check b.csv -t t --quiet",
      0,
      'the config expects a column that the file lacks: "Order No" (num_commande); nothing is sent for it',
    ],
    [
      ">check b.csv -t t --drop Note",
      2,
      "--drop Note: there is no such column",
      "files with other columns are pushed by a command of their own",
    ],
  ]);
  scenario("stops the run if its field is required, or if it is the key", { "a.csv": whole }, [
    ...check("cle;Order No\nA1;551035\n"),
    [">check b.csv -t t", 3, "the field date_billed is required, and no column goes to it"],
    write("b.csv", "Order No;date_billed\n551035;15/07/2016\n"),
    [">check b.csv -t t", 3, "every row would create a new record"],
    [">check b.csv -t t --only creates", 0],
  ]);
  scenario("is found below any number of titles, and one that it does not know stops", { "a.csv": whole }, [
    ...check(`Export;;;\n;;;\nEdited;01/01/2016;;\n${whole}`),
    [">check b.csv -t t", 0, "header in line 4"],
    write("b.csv", "cle;date_billed;Remise\nA1;15/07/2016;y\n"),
    [">check b.csv -t t", 3, 'column 3 "Remise" is not declared'],
  ]);
});
