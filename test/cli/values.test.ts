import { describe, expect, it } from "vitest";
import { runMain } from "../support/run-main.ts";
import { edit, faults, holdsCount, nothingSent, scenario, type Step, write } from "../support/scenario.ts";
import { makeFile } from "../support/temp-files.ts";

const REPEATS = "cle,libelle\nA1,one\nA2,two\n,new\nA1,three\nA2,four\nA1,five\n,new\n";

scenario(
  "--on-repeat stops at a repeated key, sends the last row of each key, or all of them",
  { "a.csv": REPEATS },
  [
    ["push a.csv --on-repeat stop", 3, 'a.csv:5: the key "A1" is already in line 2; nothing was sent'],
    nothingSent,
    [
      "push a.csv --on-repeat last --json",
      0,
      /"event":"survey".*"updates":2.*"superseded":3/,
      /"read":7,"accepted":4,.*"notSent":0,"skipped":3/,
    ],
    ({ held }) =>
      expect(new Set(held().map(({ libelle }) => libelle))).toEqual(new Set(["five", "four", "new"])),
    ["push a.csv --on-repeat all --again", 0, "7 accepted"],
  ],
);

scenario(
  "--on-repeat last keeps the last valid row where invalid ones are left out",
  { "a.csv": "cle,date_billed\nA1,2016-07-05\nA1,2016-07-06\nA1,2016-02-31\n" },
  [
    [
      "check a.csv --on-repeat last --on-invalid skip --records -",
      4,
      /^{"cle":"A1","date_billed":"2016-07-06"}\n\n/,
      "1 row is left out: a later row has the same key (--on-repeat last)",
    ],
  ],
);

scenario(
  "--short-rows sends rows without the cells that they lack at their end",
  {
    "a.csv":
      "cle;num_commande;date_billed\nA1;551035;15/07/2016\nA2;551036\nA3;15/07/2016\nA4;551037;16/07/2016\n",
  },
  [
    ["push a.csv", 3, "2 x the row has 2 cells, the header has 3, lines 3, 4"],
    ["push a.csv --short-rows --on-invalid skip", 4, "3 accepted, 1 rejected", 'column 2 "num_commande"'],
  ],
  [
    { cle: "A1", num_commande: "551035", date_billed: "2016-07-15" },
    { cle: "A2", num_commande: "551036" },
    { cle: "A4", num_commande: "551037", date_billed: "2016-07-16" },
  ],
);

describe("what the user expects of a file", () => {
  const LARGE = `cle,paid_amount\n${"A,0.1\n".repeat(10)}B,90071992547409930.01\n`;
  const orders = "cle,num_commande,paid_amount,note\nA1,1,1000.10,x\nA2,2,-0.30,y\nA3,3,,z\n";
  const push = "push a.csv --quiet --delimiter , --decimal .";
  scenario(
    "lets a file pass that is as it says",
    { "a.csv": orders },
    ["--expect-rows 3", "--expect-rows ..3", "--expect-sum paid_amount=+999.800"].map((said): Step => [
      `${push} ${said} --again`,
      0,
      /^\s*$/,
    ]),
  );
  scenario("stops a file that is not as it says, or is a wrong usage", { "a.csv": orders, "b.csv": LARGE }, [
    ...(
      [
        ["--expect-rows 4..", "3 records, and --expect-rows is 4.."],
        ["--expect-sum paid_amount=999.81", "is 999.80 in 2 amounts, 0.01 less than --expect-sum 999.81"],
        ["--expect-sum amount=1", "--expect-sum names amount, which has no sum; its amounts are paid_amount"],
      ] as const
    ).map(([said, text]): Step => [`${push} ${said}`, 3, text, `correct ${said.split(" ")[0]}`]),
    ["check a.csv --expect-rows 4", 3, "3 records, and --expect-rows is 4"],
    // Exact beyond what floating point holds.
    ["check b.csv --expect-sum paid_amount=90071992547409931.01", 0],
    ["check b.csv --expect-sum paid_amount=90071992547409931.02", 3],
    [`${push} --expect-rows 5..1`, 2],
    [`${push} --expect-sum paid_amount=12,50`, 2],
    nothingSent,
  ]);
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
});

describe("--pinned", () => {
  const TWO = "--type actual_billable_amount=amount:, --type a_amount=amount:.";
  const FIXES = "--encoding windows-1252 --delimiter semicolon --type date_billed=date:DD/MM/YYYY";
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
    "wants an option for each amount column where they differ",
    { "a.csv": "cle;actual_billable_amount;a_amount\nA1;1,50;1.50\n" },
    [
      ["check a.csv --pinned --delimiter ';'", 3, `add: ${TWO}`],
      [`check a.csv --pinned --delimiter ';' ${TWO}`, 0],
    ],
  );
  scenario(
    "is fixed by the line that is said under --quiet too",
    { "a.csv": Buffer.from("cle;libelle;date_billed\nA1;déjà;13/07/2016\n", "latin1") },
    [
      ["check a.csv --quiet", 0, FIXES],
      ["check a.csv", 0, FIXES],
      [`check a.csv --quiet --pinned ${FIXES}`, 0, /^\s*$/],
      [
        "check a.csv --json",
        0,
        '"unpinned":["--encoding windows-1252","--delimiter semicolon","--type date_billed=date:DD/MM/YYYY"]',
      ],
    ],
  );
});

describe("cells that a spreadsheet or a program has spoilt", () => {
  scenario(
    "are rejected with their line",
    { "a.csv": "cle;num_commande;date_billed\nA1;1.23457E+15;2016-07-05\nA2;2;########\n" },
    [
      [
        "check a.csv",
        3,
        /a\.csv:2: column 2 .* holds "1\.23457E\+15": .*a spreadsheet has cut it to an exponent/,
        /a\.csv:3: column 3 .* holds "########": .*its column was too narrow/,
      ],
    ],
  );
  scenario(
    "are noted under --quiet too where text was decoded twice",
    { "a.csv": "cle;libelle\nA1;Écran\nA2;Ã©cran\nA3;NÂ°\n" },
    [["check a.csv --quiet", 0, '2 cells hold "Ã©cran" or the like (the first in line 3)', "decoded twice"]],
  );
  scenario(
    "mean no value by the option that is printed",
    {
      "a.json":
        '[{"cle":"A1","date_billed":"0000-00-00 00:00:00","num_invoice":"1"},{"cle":"A2","date_billed":"2016-07-05"}]',
    },
    [
      ["check a.json", 3, '--null "0000-00-00 00:00:00", if it means no value in every column'],
      ['check a.json --null "0000-00-00 00:00:00"', 0],
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
      ["resume", 0],
    ],
    [
      { cle: "A1", date_birth: "1945-03-14", etat: "ouvert" },
      { cle: "A2", date_birth: "2012-07-26", etat: "clos" },
      { cle: "NA", date_birth: "1950-01-13", etat: "ouvert" },
    ],
  );
  it("is judged on the day of the command", async () => {
    const check = ["check", await makeFile("births.csv", births)];
    expect((await runMain(check, { now: new Date(2044, 2, 13) })).code).toBe(3);
    expect((await runMain(check, { now: new Date(2044, 2, 14) })).code).toBe(0);
  });
});

describe("leading zeros that a spreadsheet cut", () => {
  const orders = (count: number, zeros: string): string =>
    `num_commande;date_billed\n${Array.from({ length: count }, (_, at) => `${zeros}${1001 + at};13/07/2016\n`).join("")}`;
  const words = "--exports full --identify-by num_commande";
  scenario("make no other record of a create", { "a.csv": orders(30, "00"), "b.csv": orders(32, "") }, [
    [`push a.csv ${words}`, 0],
    [`push b.csv ${words}`, 0, "30 of 32 creates were created before"],
    holdsCount(32),
  ]);
});

scenario(
  "a row unlike all others stops, and an answer leaves it out, which is said under --quiet too",
  {
    "balance.csv":
      "Datum;Text;Betrag\n03.02.2017;Strom;-80,10\n14.02.2017;Lohn;1900,00\n;Neuer Saldo;1819,90\n",
  },
  [
    ["push balance.csv", 3, 'balance.csv:4: holds "Neuer Saldo": the row looks like a total'],
    ["push balance.csv --sparse keep", 3, "--totals skip leaves such rows out"],
    nothingSent,
    ["push balance.csv --totals skip --quiet", 0, /left out \(--totals skip\): line 4 /],
    holdsCount(2),
  ],
);

scenario(
  "a row unlike all others is rejected with the others sent, and is a row if an option says so",
  {
    "a.ndjson":
      '{"cle":"P1","note":"x"}\n{"cle":"P2","note":"y"}\n{"title":"Gone","status":410,"detail":"expired"}\n',
  },
  [
    [
      "push a.ndjson --on-invalid skip",
      4,
      "3 rows read: 2 accepted, 1 rejected",
      "the row is unlike all others",
    ],
    ["push a.ndjson --sparse keep", 0, "3 accepted"],
  ],
);

scenario(
  "a header below a line of a program's version is asked for, its own line first",
  {
    "datev.csv":
      '"EXTF";700;21;"Buchungsstapel";13\n"Umsatz";"S/H";"WKZ";"Konto";"Buchungstext"\n"100,00";"S";"EUR";"1200";"Papier"\n"250,50";"H";"EUR";"4400";"Stifte"\n',
  },
  [
    [">check datev.csv", 3, "is above the header in line 2", "--header-line 2 leaves out all lines above it"],
    ["check datev.csv --header-line 2", 0, "header in line 2"],
  ],
);

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
    [">check b.csv -t t --set date_billed=2016-07-15", 0],
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
