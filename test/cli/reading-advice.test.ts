import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { splitWords } from "../../src/model/text.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** A file about which a push asks, and the printed options that a person pastes one after the other. */
interface Question {
  readonly name: string;
  readonly file: string;
  readonly content: string | Buffer;
  /** The options of the first command. */
  readonly options?: string;
  /** Each is printed as it stands here, and then added to the command. */
  readonly pastes: readonly string[];
  /** What the first question must and must not say. */
  readonly says?: RegExp;
  readonly silentAbout?: RegExp;
  /** What a person mends in the file before the last paste. */
  readonly mend?: (content: string) => string;
  readonly held: readonly Readonly<Record<string, string>>[];
}

const quoteEntities = (text: string): string => text.replaceAll(/[^;\n]*&\w+;[^;\n]*/g, '"$&"');

const QUESTIONS: readonly Question[] = [
  {
    name: "dates without separators, the day first",
    file: "dates.csv",
    content: "cle;date_billed\nA;05072016\nB;13072016\nC;5072016\n",
    pastes: ["--type date_billed=date:DDMMYYYY"],
    held: [
      { cle: "A", date_billed: "2016-07-05" },
      { cle: "B", date_billed: "2016-07-13" },
      { cle: "C", date_billed: "2016-07-05" },
    ],
  },
  {
    name: "an entity without quotes in each row of a file with semicolons",
    file: "shift.csv",
    content: "cle;client;ville;resume\nA1;Caf&eacute; du Port;Brest;\nA2;Mus&eacute;e;Nantes;\n",
    options: "--other-columns send",
    pastes: [],
    says: /Caf&eacute.*HTML entity/,
    silentAbout: /--drop/,
    mend: quoteEntities,
    held: [
      { cle: "A1", client: "Caf&eacute; du Port", ville: "Brest" },
      { cle: "A2", client: "Mus&eacute;e", ville: "Nantes" },
    ],
  },
  {
    name: "an entity without quotes in a row that is as wide as the header",
    file: "entities.csv",
    content: "cle;client;ville;resume\nA1;Caf&eacute; du Port;Brest\nA2;Dupont;Brest;ok\n",
    options: "--other-columns send",
    pastes: [],
    says: /Caf&eacute.*HTML entity/,
    silentAbout: /--drop/,
    mend: (content) => quoteEntities(content).replace("Brest\n", "Brest;\n"),
    held: [
      { cle: "A1", client: "Caf&eacute; du Port", ville: "Brest" },
      { cle: "A2", client: "Dupont", ville: "Brest", resume: "ok" },
    ],
  },
  {
    name: "a text that holds the delimiter in each row, before declared columns",
    file: "names.csv",
    content:
      "cle,client,num_commande,date_billed,resume\nA1,Dupont, Jean,551,2016-07-05,\nA2,Martin, Anne,552,2016-07-06,\n",
    options: "--other-columns send",
    pastes: [],
    says: /it may be text with the delimiter in it/,
    silentAbout: /--drop/,
    mend: (content) => content.replaceAll(/\w+, \w+/g, '"$&"'),
    held: [
      { cle: "A1", client: "Dupont, Jean", num_commande: "551", date_billed: "2016-07-05" },
      { cle: "A2", client: "Martin, Anne", num_commande: "552", date_billed: "2016-07-06" },
    ],
  },
  {
    name: "a text that holds the delimiter in most rows, and another row below",
    file: "most.csv",
    content: "cle;client;ville;note\nA1;Dupont; Fils;Brest;\nA2;Martin; Fils;Brest;\nA3;Durand;Brest;ok\n",
    options: "--other-columns send",
    pastes: [],
    says: /a cell that holds the delimiter must be in quotes/,
    silentAbout: /--drop/,
    mend: (content) => content.replaceAll(/\w+; Fils/g, '"$&"'),
    held: [
      { cle: "A1", client: "Dupont; Fils", ville: "Brest" },
      { cle: "A2", client: "Martin; Fils", ville: "Brest" },
      { cle: "A3", client: "Durand", ville: "Brest", note: "ok" },
    ],
  },
  {
    name: "an object around each record of NDJSON, with a list in it",
    file: "wrapped.ndjson",
    content:
      '{"order":{"cle":"A","num_commande":"5","lines":[{"a":1}]}}\n{"order":{"cle":"B","num_commande":"6","lines":[]}}\n',
    pastes: ["--json-path order", "--drop lines"],
    silentAbout: /--flatten/,
    held: [
      { cle: "A", num_commande: "5" },
      { cle: "B", num_commande: "6" },
    ],
  },
  {
    name: "an object around the one record, with a list in it",
    file: "wrapped.json",
    content: '{"order":{"cle":"A","num_commande":"5","lines":[{"a":1}]}}\n',
    pastes: ["--json-path order", "--drop lines"],
    says: /^ {2}--json-path order or --json-path order\.lines/m,
    held: [{ cle: "A", num_commande: "5" }],
  },
  {
    name: "the action lines of a bulk file",
    file: "bulk.ndjson",
    content:
      '{"index":{"_id":"1"}}\n{"cle":"A","num_commande":"5"}\n{"index":{"_id":"2"}}\n{"cle":"B","num_commande":"6"}\n',
    pastes: ["--sparse skip"],
    silentAbout: /--flatten/,
    held: [
      { cle: "A", num_commande: "5" },
      { cle: "B", num_commande: "6" },
    ],
  },
  {
    name: "an object whose members get the name of another member",
    file: "alike.ndjson",
    content: '{"cle":"A","a_b":"1","a":{"b":"2"}}\n{"cle":"B","a":{"b":"2"},"a_b":"1"}\n',
    pastes: ["--type a_b=amount --flatten", "--drop a"],
    held: [
      { cle: "A", a_b: "1" },
      { cle: "B", a_b: "1" },
    ],
  },
  {
    name: "an object with the name of a key",
    file: "ids.ndjson",
    content: '{"id":{"$oid":"64"},"num_commande":"7"}\n{"id":{"$oid":"65"},"num_commande":"8"}\n',
    options: "--other-columns send",
    pastes: ["--drop id"],
    says: /--flatten sends id\.x as id_x/,
    silentAbout: /the same key/,
    held: [
      { cle: "F000001", num_commande: "7" },
      { cle: "F000002", num_commande: "8" },
    ],
  },
  {
    name: "two columns of one name that no field has",
    file: "twice.csv",
    content: "Client;Ville;Ville\nDurand;Brest;Paris\nMartin;Nantes;Lyon\n",
    options: "--other-columns send",
    pastes: ["--header-line 1", "--map 3=ville_2"],
    says: /^ {2}--header-line 1 if/m,
    held: [
      { cle: "F000001", client: "Durand", ville: "Brest", ville_2: "Paris" },
      { cle: "F000002", client: "Martin", ville: "Nantes", ville_2: "Lyon" },
    ],
  },
  {
    name: "two columns whose names mean one field",
    file: "alike.csv",
    content: "cle;num_commande;Num commande\nA;1;2\n",
    pastes: ['--map "Num commande=num_commande_2"'],
    held: [{ cle: "A", num_commande: "1", num_commande_2: "2" }],
  },
  {
    name: "lines with the numbers of pages between the rows",
    file: "pages.csv",
    content: "cle;num_commande;resume\nA;1;x\nPage 1\nB;2;y\nPage 2\n",
    options: "--other-columns send",
    pastes: ['--comment "Page "'],
    held: [
      { cle: "A", num_commande: "1", resume: "x" },
      { cle: "B", num_commande: "2", resume: "y" },
    ],
  },
  {
    name: "lines of a program between the rows",
    file: "sage.csv",
    content: "##Fichier\ncle;num_commande;resume\n##Section\nA;1;x\nB;2;y\n##Fin\n",
    options: "--other-columns send",
    pastes: ['--comment "##"'],
    held: [
      { cle: "A", num_commande: "1", resume: "x" },
      { cle: "B", num_commande: "2", resume: "y" },
    ],
  },
  {
    name: "a column with the name of a field that some of its values do not fit",
    file: "invoices.csv",
    content: "cle;InvoiceNo\nA;536365\nB;536366\nC;C536379\n",
    pastes: ["--map InvoiceNo=invoiceno"],
    says: /column 2 "InvoiceNo" is not declared; it would be invoiceno, text/,
    silentAbout: /num_invoice/,
    held: [
      { cle: "A", invoiceno: "536365" },
      { cle: "B", invoiceno: "536366" },
      { cle: "C", invoiceno: "C536379" },
    ],
  },
];

it("Excel's lock file in a glob is passed over, and alone it names the workbook", async () => {
  const directory = await makeDirectory();
  const [lock, file] = [join(directory, "~$orders.xlsx"), join(directory, "orders.csv")];
  await writeFile(lock, "\u0004User");
  await writeFile(file, "cle;num_commande\nA;1\n");
  const sandbox = await openSandbox();
  const both = await pushTo(sandbox, [lock, file], { others: "nothing" });
  expect(both).toMatchObject({ code: 0, stderr: expect.stringContaining("~$orders.xlsx is passed over") });
  expect(heldBy(sandbox)).toEqual([{ cle: "A", num_commande: "1" }]);
  const alone = await pushTo(sandbox, [lock], { others: "nothing" });
  expect(alone).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/name the workbook: \S*orders\.xlsx/),
  });
});

it("a question about the encoding shows four readings of the line, all different", async () => {
  const directory = await makeDirectory();
  const file = join(directory, "greek.csv");
  const text = "cle;client\nA;\u0395\u03bb\u03bb\u03ac\u03b4\u03b1\nB;\u039d\u03af\u03ba\u03bf\u03c2\n";
  await writeFile(file, iconv.encode(text, "windows-1253"));
  const sandbox = await openSandbox();
  const asked = await pushTo(sandbox, [file], { others: "send" });
  const readings = [...asked.stderr.matchAll(/^ {2}(\S+): +(\S.*)$/gm)];
  expect(asked.code).toBe(3);
  expect(readings).toHaveLength(4);
  expect(new Set(readings.map(([, , line]) => line)).size).toBe(4);
  expect(readings.map(([, encoding]) => encoding)).toContain("windows-1253");
});

describe.each(QUESTIONS)(
  "$name",
  ({ file, content, options = "", pastes, mend, says = /./, silentAbout = /^$/, held }) => {
    it("ends in the right records if what is printed is pasted", async () => {
      const sandbox = await openSandbox();
      const directory = await makeDirectory();
      const path = join(directory, file);
      await writeFile(path, content);
      const push = (given: string) => pushTo(sandbox, [path, ...splitWords(given)], { others: "nothing" });
      let given = options;
      let { code, stderr } = await push(given);
      expect({ code, stderr }).toMatchObject({ code: 3 });
      expect(stderr).toMatch(says);
      expect(stderr).not.toMatch(silentAbout);
      for (const paste of pastes) {
        expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(paste) as string });
        given = `${given} ${paste}`;
        ({ code, stderr } = await push(given));
      }
      if (mend !== undefined) {
        await writeFile(path, mend(content.toString()));
        ({ code, stderr } = await push(given));
      }
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(heldBy(sandbox)).toEqual(held);
    });
  },
);
