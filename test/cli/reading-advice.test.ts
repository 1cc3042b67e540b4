import iconv from "iconv-lite";
import { describe, expect } from "vitest";
import { edit, scenario, type Step } from "../support/scenario.ts";

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
    "an entity without quotes in each row of a file with semicolons",
    ["shift.csv", "cle;client;ville;resume\nA1;Caf&eacute; du Port;Brest;\nA2;Mus&eacute;e;Nantes;\n"],
    {
      ...entity,
      mend: [
        ["Caf&eacute; du Port", '"Caf&eacute; du Port"'],
        ["Mus&eacute;e", '"Mus&eacute;e"'],
      ],
    },
    [
      { cle: "A1", client: "Caf&eacute; du Port", ville: "Brest" },
      { cle: "A2", client: "Mus&eacute;e", ville: "Nantes" },
    ],
  );
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
  question(
    "a text that holds the delimiter in most rows, and another row below",
    [
      "most.csv",
      "cle;client;ville;note\nA1;Dupont; Fils;Brest;\nA2;Martin; Fils;Brest;\nA3;Durand;Brest;ok\n",
    ],
    {
      words: SENT,
      says: [/a cell that holds the delimiter must be in quotes/, NO_DROP],
      mend: [
        ["Dupont; Fils", '"Dupont; Fils"'],
        ["Martin; Fils", '"Martin; Fils"'],
      ],
    },
    [
      { cle: "A1", client: "Dupont; Fils", ville: "Brest" },
      { cle: "A2", client: "Martin; Fils", ville: "Brest" },
      { cle: "A3", client: "Durand", ville: "Brest", note: "ok" },
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
    "an object around the one record, with a list in it",
    ["wrapped.json", '{"order":{"cle":"A","num_commande":"5","lines":[{"a":1}]}}\n'],
    {
      pastes: ["--json-path order", "--drop lines"],
      says: [/^ {2}--json-path order or --json-path order\.lines/m],
    },
    two.slice(0, 1),
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
  question(
    "two columns whose names mean one field",
    ["alike.csv", "cle;num_commande;Num commande\nA;1;2\n"],
    { pastes: ['--map "Num commande=num_commande_2"'] },
    [{ cle: "A", num_commande: "1", num_commande_2: "2" }],
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
    "lines of a program between the rows",
    ["sage.csv", "##Fichier\ncle;num_commande;resume\n##Section\nA;1;x\nB;2;y\n##Fin\n"],
    { words: SENT, pastes: ['--comment "##"'] },
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
    ["push '~$orders.xlsx'", 3, "name the workbook: orders.xlsx"],
  ],
  [{ cle: "A", num_commande: "1" }],
);

scenario(
  "a question about the encoding shows four readings of the line, all different",
  { "a.csv": iconv.encode("cle;client\nA;Ελλάδα\nB;Νίκος\n", "windows-1253") },
  [
    ["push a.csv", 3],
    ({ last }) => {
      const readings = [...last.stderr.matchAll(/^ {2}(\S+): +(\S.*)$/gm)];
      expect(readings).toHaveLength(4);
      expect(new Set(readings.map(([, , line]) => line)).size).toBe(4);
      expect(readings.map(([, encoding]) => encoding)).toContain("windows-1253");
    },
  ],
);
