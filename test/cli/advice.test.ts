import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { BIN } from "../support/run-process.ts";
import { edit, faults, paste, scenario, type Step, typed } from "../support/scenario.ts";

const run = promisify(execFile);
const MEND = /then push that file[^:]*: rec-push (.*)/;
/** The command that is printed is this one. */
const prints =
  (words: string): Step =>
  ({ last, sandbox }) =>
    expect(MEND.exec(last.stdout)?.[1]).toBe(words.replace("URL", sandbox.url));
const config = (section: object): string => JSON.stringify({ tables: { commandes: section } });

describe("the command that pushes mended rejects", () => {
  const constant = { origine: "l'été à $HOME" };
  scenario(
    "runs as it is printed, in a shell",
    {
      "mes commandes $1.csv": Buffer.from(
        "Export d'été;;;\ncle;num_commande;date_billed;Montant payé;Mémo\nA1;1;13/07/2016;1 437,50;x\nA2;2;31/02/2016;2,5;y\n;55;05/07/2016;3,5;z\n",
        "latin1",
      ),
    },
    [
      faults("refuse=num_commande:55"),
      typed(
        ({ directory }) =>
          `push '${directory}/mes commandes $1.csv' --map "Montant payé=paid_amount" --drop Mémo --type date_billed=date --set "origine=l'été à $HOME" --on-invalid skip --rejects '${directory}/rejets de l"été.csv'`,
        4,
      ),
      faults(),
      async ({ directory }) => {
        const path = join(directory, 'rejets de l"été.csv');
        const text = await readFile(path, "latin1");
        await writeFile(path, text.replace("31/02", "29/02").replace(";55;", ";56;"), "latin1");
      },
      async ({ last, directory, env }) => {
        expect(MEND.exec(last.stdout)![1]).toMatch(/--type date_billed=date:DD\/MM\/YYYY(?!.*=date )/);
        const shell = `'${process.execPath}' '${BIN}' ${MEND.exec(last.stdout)![1]}`;
        await run("sh", ["-c", shell], { cwd: directory, env: { ...process.env, HOME: directory, ...env } });
      },
      ({ held }) =>
        expect(
          held().toSorted((a, b) => Number(a["num_commande"]) - Number(b["num_commande"])),
        ).toMatchObject([
          { num_commande: "1", date_billed: "2016-07-13", paid_amount: "1437.50", ...constant },
          { num_commande: "2", date_billed: "2016-02-29", paid_amount: "2.5", ...constant },
          { num_commande: "56", date_billed: "2016-07-05", paid_amount: "3.5", ...constant },
        ]),
    ],
  );
  scenario(
    "holds no secret, and says which options to give again",
    { "a.csv": "cle,n_amount\nA1,1\nA2,x\n" },
    [
      [
        "push a.csv --on-invalid skip -H 'X-Key: geheimnis-1' --query key=geheimnis-2",
        4,
        "then push that file (and -H, --query as before): rec-push",
        { not: "geheimnis" },
      ],
    ],
  );
  scenario(
    "drops what applied to the whole file only",
    { "a.csv": "x\ncle;n_amount\nA1;1,5\nA2;x\nfin;\n" },
    [
      ["push a.csv --on-invalid skip --quiet --skip-lines 1 --skip-footer 1 --retries 2", 4],
      prints(
        `a.rejects.csv --retries 2 --other-columns send --table commandes --delimiter semicolon --quote '"' --header-line 2 --skip-lines 1 --skip-footer 0 --type n_amount=amount:,`,
      ),
    ],
  );
  scenario(
    "overrides a config that applies to the whole file",
    {
      "a.csv": "A1;13/07/2016\nA2;31/02/2016\nfin;\n",
      "rec-push.config.json": config({
        header: false,
        skipFooter: 1,
        onInvalid: "skip",
        map: { 1: "cle", 2: "date_billed" },
        format: "csv",
      }),
    },
    [["push a.csv", 4], edit("a.rejects.csv", "31/02", "29/02"), paste(MEND, 0)],
    [
      { cle: "A1", date_billed: "2016-07-13" },
      { cle: "A2", date_billed: "2016-02-29" },
    ],
  );
  scenario(
    "says after a resume what the run was begun with, from config, command line and identity",
    {
      "a.csv": "cle,num_commande\nA1,1\nA2,x\n",
      "c.json": config({ onInvalid: "skip", atomicBatches: false, header: true, retries: 2 }),
    },
    [
      faults("status=401"),
      ["push a.csv --config c.json --run-key 2026-11", 5],
      faults(),
      ["resume --grace 5s", 4],
      prints(
        `a.rejects.csv --url URL --retries 2 --grace 5s --other-columns send --table commandes --run-key 2026-11 --delimiter comma --quote '"' --header-line 1`,
      ),
      edit("a.rejects.csv", "A2,x", "A2,2"),
      paste(MEND, 0),
    ],
  );
});

const csv = (...numbers: readonly number[]): string => ["num_commande", ...numbers, ""].join("\n");
const ONE = { "orders.csv": csv(1, 2, 3, 4, 5, 6) };
const TWO = { "a.csv": csv(1, 2, 3), "b.csv": csv(4, 5, 6) };
const KEYED = { "orders.csv": `cle,${csv(1, 2, 3, 4, 5, 6).replaceAll(/^\d/gm, "A$&,$&")}` };
const ODD = { "orders.csv": "num_commande,date_billed\n1,2016-01-02\n2,x\n3,2016-01-02\n" };
const [THERE, LOST] = ["drop=after,kind=create,times=1", "drop=before,kind=create,times=1"] as const;
const QUICK = "--retries 0 --late 1s";
const SKIP = "--on-invalid skip";

const areThere = /if they are there: rec-push (.*)$/m;
const onlySome = /if only some are there: .*?: rec-push (.*)$/m;
const MENDED = /mend the 1 row .*?: rec-push (.*)$/m;
const mended = [edit("orders.rejects.csv", "2,x", "2,2016-01-03"), paste(MENDED, 0)] as const;
/** The service has the records 2 and 3 of those in doubt. */
const deleteTwo: Step = async ({ directory, file }) => {
  const text = await readFile(`${directory}/orders.in-doubt.csv`, "utf8");
  await file("orders.in-doubt.csv", text.replaceAll(/^.*[;,][23]\n/gm, ""));
};
const again = "the same command again";

/** How a push ended, and the steps that are right for what the service then holds. */
type Ending = readonly [
  name: string,
  faults: readonly string[],
  files: Readonly<Record<string, string>>,
  words: string,
  exit: number,
  ...steps: readonly (Step | typeof again)[],
];
/** The service refuses a request because of one of its records. */
const REFUSED = [
  ["status=400,match=BAD"],
  { "orders.csv": "num_commande,note\n1,a\n2,b\n3,BAD\n4,d\n5,e\n6,f\n" },
  "--type note=text --batch-size 3 --concurrency 1",
  8,
] as const;
const refusing = faults("status=400,match=BAD");
const findBad = [
  paste(/if they are not: rec-push (resume .*)$/m, 4, "1 refused"),
  faults(),
  edit("orders.rejects.csv", "BAD", "b"),
  paste(MENDED, 0),
] as const;
const BESIDE_REJECTS: Ending = [
  "creates in doubt beside rows that were left out",
  [THERE],
  ODD,
  `${SKIP} ${QUICK}`,
  8,
  paste(areThere, 4),
  ...mended,
];
const ENDINGS: readonly Ending[] = [
  ["creates in doubt that are there", [THERE], ONE, QUICK, 8, paste(areThere, 0)],
  [
    "creates in doubt that are not there",
    [LOST],
    ONE,
    QUICK,
    8,
    paste(/if they are not: rec-push (\S+ \S+ --in-doubt \S+=resend)/, 0),
  ],
  [
    "creates in doubt of which none is there, though some may be",
    [LOST.replace("times", "skip=1,times")],
    ONE,
    QUICK,
    8,
    // Nothing was deleted: the refusal leads on.
    paste(onlySome, 2),
    paste(/ none of them is there: rec-push (.*)$/m, 0),
  ],
  [
    "creates in doubt of which some are there",
    ["status=504,after-applying=2,kind=create,skip=1,times=1"],
    ONE,
    QUICK,
    8,
    deleteTwo,
    paste(onlySome, 0),
  ],
  [
    "doubt in the first file, and a second one that was not sent",
    [THERE, "status=401,skip=1"],
    TWO,
    QUICK,
    8,
    paste(/if they are there: rec-push (\S+ \S+ --in-doubt \S+)/, 0),
  ],
  ["a service that is away", ["drop=before"], KEYED, QUICK, 7, again],
  ["a token that is refused", ["status=401"], TWO, QUICK, 5, again],
  ["a request that is refused", ["status=404"], ONE, QUICK, 6, again],
  [
    "a run given up because the address was wrong",
    ["status=404"],
    ONE,
    QUICK,
    6,
    paste(/if the URL or the table was wrong.*?rec-push (runs abandon \S+)/, 0, "can be pushed again"),
  ],
  ["a request with a bad record that the service refused", ...REFUSED, refusing, ...findBad],
  [
    "a request with a bad record, where some may be there",
    ...REFUSED,
    refusing,
    // Nothing was deleted, as none of them is there: the refusal leads on.
    paste(onlySome, 2),
    paste(/none of them is there: rec-push (.*)$/m, 8),
    ...findBad,
  ],
  [
    "a request with a bad record, by the step of rec-push runs",
    ...REFUSED,
    refusing,
    ["runs", 0],
    ...findBad,
  ],
  ["rows that were left out, once they are mended", [], ODD, SKIP, 4, ...mended],
  BESIDE_REJECTS,
];

describe("the step that is printed leaves every record there once, also if the command is repeated then", () => {
  for (const [name, given, files, words, exit, ...steps] of ENDINGS) {
    const line = `push ${Object.keys(files).join(" ")} ${words}`;
    scenario(`after ${name}`, files, [
      faults(...given),
      [line, exit, "Next: "],
      faults(),
      ...steps.map((step): Step => (step === again ? [line, 0] : step)),
      [line, 0],
      ({ numbers }) => {
        const all = files === ODD ? ["1", "2", "3"] : ["1", "2", "3", "4", "5", "6"];
        expect(new Set(numbers())).toEqual(new Set(all));
        expect(numbers()).toHaveLength(all.length);
      },
    ]);
  }
});

type Held = readonly Readonly<Record<string, string>>[];
type Says = string | RegExp | { readonly not: RegExp };

/**
 * A file about which a push asks, and the printed options that a person pastes one after the other, each added to the command;
 * before the last push somebody may mend the file.
 */
function question(
  name: string,
  [file, content]: readonly [string, string],
  { words = "", pastes = [], says = [], mend = [] }: Partial<Asked>,
  held: Held,
): void {
  const lines = pastes.map((_, at) => [words, ...pastes.slice(0, at + 1)].join(" "));
  const push = `>push ${file} --table commandes`;
  const steps: Step[] = [];
  for (const [at, given] of [words, ...lines].entries()) {
    const next = pastes.slice(at, at + 1);
    if (next.length > 0 || mend.length > 0)
      steps.push([`${push} ${given}`, 3, ...(at === 0 ? says : []), ...next]);
  }
  scenario(
    name,
    { [file]: content },
    [
      ...steps,
      ...mend.map(([from, to]) => edit(file, from, to)),
      [`${push} ${[words, ...pastes].join(" ")}`, 0],
    ],
    held,
  );
}

interface Asked {
  /** The options of the first command. */
  readonly words: string;
  readonly pastes: readonly string[];
  /** What the first question must and must not say. */
  readonly says: readonly Says[];
  readonly mend: readonly (readonly [string, string])[];
}

const SENT = "--other-columns send";
const NO_DROP = { not: /--drop/ };
const NO_FLATTEN = { not: /--flatten/ };

describe("what is printed ends in the right records if it is pasted", () => {
  question(
    "dates without separators, the day first",
    ["dates.csv", "cle;date_billed\nA;05072016\nB;13072016\nC;5072016\n"],
    { pastes: ["--type date_billed=date:DDMMYYYY"] },
    [
      { cle: "A", date_billed: "2016-07-05" },
      { cle: "B", date_billed: "2016-07-13" },
      { cle: "C", date_billed: "2016-07-05" },
    ],
  );
  const entity = { words: SENT, says: [/Caf&eacute.*HTML entity/, NO_DROP] };
  question(
    "an entity without quotes in a row that is as wide as the header",
    ["entities.csv", "cle;client;ville;resume\nA1;Caf&eacute; du Port;Brest\nA2;Dupont;Brest;ok\n"],
    { ...entity, mend: [["Caf&eacute; du Port;Brest", '"Caf&eacute; du Port";Brest;']] },
    [
      { cle: "A1", client: "Caf&eacute; du Port", ville: "Brest" },
      { cle: "A2", client: "Dupont", ville: "Brest", resume: "ok" },
    ],
  );
  question(
    "a text that holds the delimiter in each row, before declared columns",
    [
      "names.csv",
      "cle,client,num_commande,date_billed,resume\nA1,Dupont, Jean,551,2016-07-05,\nA2,Martin, Anne,552,2016-07-06,\n",
    ],
    {
      words: SENT,
      says: [/it may be text with the delimiter in it/, NO_DROP],
      mend: [
        ["Dupont, Jean", '"Dupont, Jean"'],
        ["Martin, Anne", '"Martin, Anne"'],
      ],
    },
    [
      { cle: "A1", client: "Dupont, Jean", num_commande: "551", date_billed: "2016-07-05" },
      { cle: "A2", client: "Martin, Anne", num_commande: "552", date_billed: "2016-07-06" },
    ],
  );
  const two = [
    { cle: "A", num_commande: "5" },
    { cle: "B", num_commande: "6" },
  ];
  question(
    "an object around each record of NDJSON, with a list in it",
    [
      "wrapped.ndjson",
      '{"order":{"cle":"A","num_commande":"5","lines":[{"a":1}]}}\n{"order":{"cle":"B","num_commande":"6","lines":[]}}\n',
    ],
    { pastes: ["--json-path order", "--drop lines"], says: [NO_FLATTEN] },
    two,
  );
  question(
    "the action lines of a bulk file",
    [
      "bulk.ndjson",
      '{"index":{"_id":"1"}}\n{"cle":"A","num_commande":"5"}\n{"index":{"_id":"2"}}\n{"cle":"B","num_commande":"6"}\n',
    ],
    { pastes: ["--sparse skip"], says: [NO_FLATTEN] },
    two,
  );
  question(
    "an object whose members get the name of another member",
    ["alike.ndjson", '{"cle":"A","a_b":"1","a":{"b":"2"}}\n{"cle":"B","a":{"b":"2"},"a_b":"1"}\n'],
    { pastes: ["--type a_b=amount --flatten", "--drop a"] },
    [
      { cle: "A", a_b: "1" },
      { cle: "B", a_b: "1" },
    ],
  );
  question(
    "an object with the name of a key",
    ["ids.ndjson", '{"id":{"$oid":"64"},"num_commande":"7"}\n{"id":{"$oid":"65"},"num_commande":"8"}\n'],
    {
      words: SENT,
      pastes: ["--drop id"],
      says: [/--flatten sends id\.x as id_x/, { not: /the same key/ }],
    },
    [
      { cle: "F000001", num_commande: "7" },
      { cle: "F000002", num_commande: "8" },
    ],
  );
  question(
    "two columns of one name that no field has",
    ["twice.csv", "Client;Ville;Ville\nDurand;Brest;Paris\nMartin;Nantes;Lyon\n"],
    { words: SENT, pastes: ["--header-line 1", "--map 3=ville_2"], says: [/^ {2}--header-line 1 if/m] },
    [
      { cle: "F000001", client: "Durand", ville: "Brest", ville_2: "Paris" },
      { cle: "F000002", client: "Martin", ville: "Nantes", ville_2: "Lyon" },
    ],
  );
  const rows = [
    { cle: "A", num_commande: "1", resume: "x" },
    { cle: "B", num_commande: "2", resume: "y" },
  ];
  question(
    "lines with the numbers of pages between the rows",
    ["pages.csv", "cle;num_commande;resume\nA;1;x\nPage 1\nB;2;y\nPage 2\n"],
    { words: SENT, pastes: ['--comment "Page "'] },
    rows,
  );
  question(
    "a column with the name of a field that some of its values do not fit",
    ["invoices.csv", "cle;InvoiceNo\nA;536365\nB;536366\nC;C536379\n"],
    {
      pastes: ["--map InvoiceNo=invoiceno"],
      says: [/column 2 "InvoiceNo" is not declared; it would be invoiceno, text/, { not: /num_invoice/ }],
    },
    [
      { cle: "A", invoiceno: "536365" },
      { cle: "B", invoiceno: "536366" },
      { cle: "C", invoiceno: "C536379" },
    ],
  );
});

scenario(
  "Excel's lock file in a glob is passed over, and alone it names the workbook",
  { "~$orders.xlsx": "\u0004User", "orders.csv": "cle;num_commande\nA;1\n" },
  [
    ["push '~$orders.xlsx' orders.csv", 0, "~$orders.xlsx is passed over"],
    ["push '~$orders.xlsx'", 3, "name the workbook itself"],
  ],
  [{ cle: "A", num_commande: "1" }],
);
