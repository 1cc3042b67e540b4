import { spawnSync } from "node:child_process";
import { stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { fixture } from "../support/fixture.ts";
import { edit, holds, nothingSent, scenario, type ScenarioWorld, type Step } from "../support/scenario.ts";

const TEXT = "cle;num_commande;Order date;note\nA1;1;13/07/2016;x\nA2;2;14/07/2016;y\nA3;3;15/07/2016;\n";
const SENT = [
  { cle: "A1", num_commande: "1", order_date: "2016-07-13", note: "x" },
  { cle: "A2", num_commande: "2", order_date: "2016-07-14", note: "y" },
  { cle: "A3", num_commande: "3", order_date: "2016-07-15" },
];

/** Pastes into a shell what the last line printed, and gives the words to a command. */
const pasted =
  (
    found: (last: ScenarioWorld["last"]) => string | undefined,
    command: (words: string[]) => string[],
  ): Step =>
  async (world) => {
    const line = found(world.last)?.replace("rec-push ", "");
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" });
    const words = stdout.trimEnd().split("\n");
    const argv = command(words).map((word) => word.replace(/^[\w.]+\.csv$/, `${world.directory}/$&`));
    expect(await world.command([...argv, "--table", "commandes"])).toMatchObject({ code: 0 });
  };

describe("a column that nobody declared", () => {
  scenario(
    "stops before anything is sent, and the line that the error prints loads the file",
    { "a.csv": TEXT },
    [
      [">push a.csv", 3, 'column 3 "Order date" is not declared'],
      [">push a.csv --on-invalid skip", 3],
      nothingSent,
      pasted(
        ({ stderr }) => /^ {2}add (.*)$/m.exec(stderr)?.[1],
        (words) => ["push", "a.csv", ...words],
      ),
    ],
    SENT,
  );
  scenario(
    "is no place for a constant, and a file without any other gives nothing",
    { "a.csv": "cle;num_commande;Source\nA1;1;x\n", "b.csv": "cle;note\nA1;x\n" },
    [
      [">check a.csv --set source=web", 2, '--set source=...: column 3 "Source" goes to that field'],
      ["check b.csv --other-columns drop", 3, "no row has anything to send"],
      ["check a.csv --other-columns asNamed", 2, "one of send, drop"],
    ],
  );
  scenario(
    "is answered for by --other-columns, in the config too, where init pins it with a type for every column",
    { "a.csv": TEXT },
    [
      [">check a.csv --other-columns drop --records -", 0, '{"cle":"A1","num_commande":"1"}\n'],
      ["init a.csv --other-columns send", 0],
      holds("rec-push.config.json", /"Order date": "order_date",\s*"note": "note"[^]*"otherColumns": "send"/),
      holds("rec-push.config.json", /"order_date": \{\s*"type": "date:DD\/MM\/YYYY"[^]*"type": "text"/),
      [">push a.csv --pinned", 0],
    ],
    SENT,
  );
  scenario(
    "is in the command for the mended file, with the types that the whole file settled",
    { "a.csv": `${TEXT.replace("2016;\n", "2016;z\n")}A4;z;16/07/2016;13/06/2016\n` },
    [
      [
        "push a.csv --on-invalid skip",
        4,
        /rec-push .*--other-columns send.*--type order_date=date:DD\/MM\/YYYY --type note=text/,
      ],
      edit("a.rejects.csv", ";z;", ";4;"),
      // Taken alone, the value of the mended row is a date.
      pasted(
        ({ stdout }) => /that file[^:]*: (rec-push .*)$/m.exec(stdout)?.[1],
        ([file = "", ...words]) => [file, ...words],
      ),
    ],
    [
      ...SENT.slice(0, 2),
      { ...SENT[2]!, note: "z" },
      { cle: "A4", num_commande: "4", order_date: "2016-07-16", note: "13/06/2016" },
    ],
  );
});

describe("positions in the options of several files", () => {
  const files = (one: string, other: string) => ({
    "a.csv": `${one}\nA1;one;two\n`,
    "b.csv": `${other}\nB1;two;one\n`,
  });
  const maps = "--map 2=remise --map 3=taux";
  for (const [name, one, other, words, exit] of [
    ["are swapped", "cle;Remise (%);Taux !", "cle;Taux !;Remise (%)", maps, 2],
    ["have another name in each file", "cle;Juillet;Taux", "cle;Août;Taux", maps, 2],
    ["are the same", "cle;Remise (%);Taux", "CLE;remise %;TAUX", maps, 0],
    ["have no header", "A0;x;y", "B0;y;x", `--no-header --map 1=cle ${maps}`, 0],
  ] as const)
    scenario(`end with ${exit} where the columns there ${name}`, files(one, other), [
      [
        `>check a.csv b.csv ${words}`,
        exit,
        exit === 0
          ? ""
          : "error: column 2, which options name by its position, has different names in the files; nothing was sent",
      ],
    ]);
  scenario(
    "are not joined in a question to options that exclude each other",
    {
      ...files("cle;Remise (%);Taux !", "cle;Taux !;Remise (%)"),
      "c.csv": "cle;Client;num_invoice\nA1;one;1\n",
      "d.csv": "cle;Ville;num_invoice\nA1;one;1\n",
    },
    [
      [
        ">check a.csv b.csv",
        3,
        "add --map 2=remise --map 3=taux\n",
        "add --map 2=taux --map 3=remise\n",
        "each needs options of its own: push them one after the other",
        { not: "for all of them: add" },
      ],
      [
        ">check c.csv d.csv",
        3,
        "add --map Client=client\n",
        "options of its own",
        { not: "for all of them: add" },
      ],
      [">check a.csv a.csv", 3, { not: "of its own" }],
    ],
  );
});

describe("rec-push check", () => {
  const french = fixture("csv/orders-excel-fr.csv");
  scenario("needs no URL and no token, and shows each column with what settled its format", {}, [
    [
      `check ${french}`,
      0,
      "7 rows: 5 updates, 2 creates (rows without cle)",
      /3 {2}Date billed -> date_billed, date DD\/MM\/YYYY \(settled by line 6 "13\/07\/2016"\)/,
      "05/07/2016 -> 2016-07-05",
    ],
    [`>--json check ${french}`, 0, /^{"event":"run".*\n{"event":"survey".*\n{"event":"summary".*\n\n/],
  ]);
  const records = '{"cle":"A1","date_billed":"2016-07-05"}\n{"date_billed":"2016-07-06"}\n';
  scenario("writes the records as NDJSON", { "a.csv": "cle,date_billed\nA1,2016-07-05\n,2016-07-06\n" }, [
    ["check a.csv --records r.ndjson", 0],
    holds("r.ndjson", records),
    ["check a.csv --records -", 0, records, "2 rows: 1 update, 1 create"],
    async ({ directory }) => {
      expect((await stat(join(directory, "r.ndjson"))).mode & 0o777).toBe(0o600);
      await symlink(join(directory, "a.csv"), join(directory, "link"));
    },
    ["check a.csv --records @link", 1, "it is a link, which is not followed"],
    holds("a.csv", "A1,2016-07-05"),
  ]);
  scenario(
    "asks the questions of all files at once, of every kind, and names rows that are invalid whatever the answer is",
    {
      "a.csv": "cle,Order No,date_billed\nA1,551035,05/07/2016\nA2,551036,06/07/2016\n",
      "b.csv": "cle,date_billed\nA1,05/07/2016\n",
      "c.csv": "cle,date_billed\nA1,soon\n",
      "d.csv": "cle,Order No,date_billed\nA1,551035,2016-02-30\nA2,1,2016-07-05,x\n",
    },
    [
      [
        ">check a.csv b.csv c.csv",
        3,
        /a\.csv:1: 2 questions about its columns\n  column 2 "Order No" looks like the field num_commande.*\n  column "date_billed": .*05\/07\/2016/,
        /b\.csv: column "date_billed": .*05\/07\/2016/,
        'c.csv:2: column 2 "date_billed" holds "soon"',
      ],
      [">check d.csv", 3, 'add --map "Order No=num_commande"', 'holds "2016-02-30"', "d.csv:3: "],
    ],
  );
  const rows = Array.from(
    { length: 2_000 },
    (_, at) => `A${at},${at % 2 === 0 ? "30/02/2016" : "31/01/2016"}\n`,
  );
  const alike = /a\.csv: 1,000 x column 2 "date_billed" holds "30\/02\/2016": .*, lines 2, 4, 6 \.\.\./;
  scenario(
    "puts equal problems on one line, with their number and the first lines, as a push does",
    { "a.csv": `cle,date_billed\n${rows.join("")}` },
    [
      ["check a.csv", 3, alike, /^(?:.*\n?){1,12}$/],
      ["push a.csv", 3, alike, /^(?:.*\n?){1,12}$/],
    ],
  );
});
