import { NullWords } from "../../../src/fields/type-text.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OddRows } from "../../../src/fields/odd/odd-rows.ts";
import { nameOf, RowForms } from "../../../src/fields/odd/row-forms.ts";
import { type Cell, NestedValue, type Row } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";
import { madeRow } from "../../support/made-rows.ts";
import { parted } from "../../support/parted.ts";

interface Given {
  /** The column of the key. */
  readonly key?: number;
  readonly digits?: readonly number[];
}

/** An input of rows; `width`: its columns. */
function oddRows(width: number, { key, digits = [] }: Given, known?: ReturnType<OddRows["finish"]>): OddRows {
  return new OddRows({ width, key, digits, nullsAt: [] }, "a.csv", {}, known);
}

/** Why rows are odd, by their index. */
function findOdd(rows: readonly (readonly Cell[])[], given: Given = {}): Record<number, string> {
  const width = Math.max(...rows.map((cells) => cells.length));
  const made = rows.map((cells, at) => madeRow({ line: at + 2, start: at, end: at + 1 }, cells));
  const first = oddRows(width, given);
  for (const row of made) first.note(row);
  const second = oddRows(width, given, first.finish());
  return Object.fromEntries(
    made.flatMap((row, at) => {
      const suspicion = second.suspect(row, () => ["a", "b", "c"]);
      return suspicion === undefined ? [] : [[at, `${suspicion.kind} ${suspicion.text}`]];
    }),
  );
}

function cellsOf(lines: readonly string[]): readonly (readonly string[])[] {
  return lines.map((line) => line.split(";"));
}

const NAMES = ["C1;Meier;Ulm", "C2;Kern;Jena", "C3;Roth;Ulm", "C4;Vogt;Bonn", "C5;Lang;Jena"];
const TEXTS = ["Meier;Ulm;bar", "Kern;Jena;Karte", "Roth;Ulm;bar", "Vogt;Bonn;bar", "Lang;Ulm;bar"];
const PRICES = ["C1;Meier;3;1,50;0,30", "C2;Kern;2;2,50;0,50", "C3;Roth;1;3,50;0,70", "C4;Vogt;4;1,25;0,25"];
const LINES = ["7001;A1;Zange;3;1,50", "7002;A2;Säge;2;2,50", "7003;A3;Feile;1;3,50", "7004;A4;Hobel;4;4,50"];
const UPDATES = ["P1;Meier;Ulm;1,50;", "P2;Kern;Jena;2,50;", "P3;Roth;Ulm;3,50;", "P4;Vogt;Bonn;4,50;x"];
const ORDERS = ["7001;1,50;0,30", "7002;2,50;0,50", "7003;3,50;0,70", "7004;2,00;0,40"];
const BILLED = Array.from({ length: 9 }, (_, at) => `P${at};Meier;Ulm;1${at}/02/2017;${at},50;neu`);
const BANK = parted`
  03/02/2017;Strom;80,10;|04/02/2017;Lohn;;1900,00|06/02/2017;Miete;700,00;
  07/02/2017;TOTAL;45,00;|09/02/2017;Solde SARL;12,00;
`;
const NARROW = PRICES.map((line) => line.replace(/;[^;]*$/, ""));
const NUMBERED: Given = { key: 0, digits: [1] };
const FULL = [1, 2, 3, 4].map((at) => `P${at};700${at};1${at}/07/2016;${at},50`);
const WIDE = FULL.map((line, at) => `${line};${at},20;${at},30;1${at}/08/2016`);
const SPARSE = ["T1;Haas;;;x", "T2;Roth;Ulm;;", "T3;Kern;;bar;", "T4;Lang;Ulm;bar;x", "T5;Rey;;;"];
const SETTLED = Array.from({ length: 8 }, (_, at) => {
  const key = at % 2 === 0 ? `C${at}` : "";
  return `${key};${551_000 + at};2${at}/03/2025;${at}1,57;${70_000 + at};${at === 7 ? "soldé" : "ouvert"}`;
});

describe("a row unlike all others", () => {
  it.each<[string, readonly string[], string, Given?]>([
    ["has a word where codes begin the rows", [...NAMES, "Agentur Süd;;"], "lacks Agentur Süd"],
    ["has one text and no code", [...NAMES, ";Fortsetzung;"], "lacks Fortsetzung"],
    ["has a text and an amount, and no code", [...PRICES, ";Rest;;9,50;"], "lacks Rest | 9,50"],
    ["has half of the columns, and no code", [...NARROW, ";Rest;;9,50"], "lacks Rest | 9,50"],
    ["has all, and a total as its key", [...FULL, "Total;7005;16/07/2016;9,50"], "phrase Total", NUMBERED],
    ["has nothing but numbers", [...PRICES, ";;10;8,75;1,75"], "numbers 10 | 8,75 | 1,75"],
    ["has one text and no key", [...UPDATES, ";;Lyon;;"], "lacks Lyon", { key: 0 }],
    ["has nothing that the others have", [...UPDATES, ";;;;siehe unten"], "lacks siehe unten", { key: 0 }],
    ["has two of seven, one of them a key", [...WIDE, "P9;7009;;;;;"], "lacks P9 | 7009", { key: 0 }],
    ["has a total's phrase as its key", [...UPDATES, "Total;Haas;Ulm;9,50;x"], "phrase Total", { key: 0 }],
    ["has a total's phrase and lacks something", [...PRICES, ";Total;10;8,75;1,75"], "phrase Total"],
    ["is the only total in a list", ["Meier", "Kern", "Roth", "Total"], "phrase Total"],
    ["has a total's name and lacks more", [...PRICES, ";Sous-total Ulm;10;8,75;"], "phrase Sous-total Ulm"],
    ["has a name before the word", [...PRICES, ";Dupont Total;;8,75;1,75"], "phrase Dupont Total"],
    ["is a balance without a date", [...BANK, ";Neuer Saldo;;1819,90"], "phrase Neuer Saldo"],
    ["is a line of dashes", [...NAMES, "---;---;---"], "rule ---"],
    ["is a dash alone", [...NAMES, ";;--"], "rule --"],
    ["has amounts and no number", [...ORDERS, ";9,50;1,90"], "numbers 9,50 | 1,90", { digits: [0] }],
  ])("%s", (_, lines, found, given) => {
    expect(findOdd(cellsOf(lines), given)).toEqual({ [lines.length - 1]: found });
  });

  it.each<[string, readonly string[], Given?]>([
    ["texts of which one is blank", [...TEXTS, "Haas;;bar", "Total;;bar", "Solde SARL;;bar"]],
    ["a row with a code of its own", [...LINES, ";A5;Axt;5;"]],
    ["a create with a name and an amount", [...UPDATES, ";Haas;Ulm;7,50;neu"], { key: 0 }],
    ["a row with the number of an order and little else", [...LINES, "7005;;Axt;;"], { digits: [0] }],
    ["a create with a number and an amount", ["P1;101;1,50", "P2;102;2,50", ";103;4,50"], NUMBERED],
    ["a create with a state that is a total's word", SETTLED, { key: 0, digits: [1, 4] }],
    ["a create with a date and an amount", [...BILLED, ";Haas;;13/07/2017;7,50;"], { key: 0 }],
    ["a row with a code and a number further on", [...LINES, ";A5;;5;"]],
    ["a row of most texts where only the first two columns are full", [...SPARSE, ";Vogt;Bonn;bar;"]],
    ["a create with all but a key", ["P1;one", "P2;two", ";new"], { key: 0 }],
    ["one of few rows that begins as they do", ["C1;Meier;Ulm", "C2;;"]],
    ["one of many lines of signs", ["*;**", "**;*", "***;*", "*;*"]],
    ["debit or credit alone, nor a payee that a total is called by", BANK],
    ["a full row, whatever it is called", [...TEXTS, "Total Energies;Ulm;bar", "Solde;Jena;bar"]],
    ["an article with the word of a total", [...PRICES, "C5;Total Quartz;;;0,70"]],
    ["a row with a key and three of seven", [...WIDE, "P9;7009;19/07/2016;;;;"], { key: 0 }],
    ["a row with nothing but a key", [...UPDATES, "P5;;;;"], { key: 0 }],
    ["a blank row", [...NAMES, ";;"]],
    ["a row alone", ["Meier;;7,50"]],
    ["a row of an outline", parted`1;;A;;12,50;x|;1;;B;7,25;x|;2;;C;5,25;x|2;;D;;1,50;x|;1;;E;1,50;x`],
    ["a short number among names of one column", ["Ulm", "Jena", "7", "Bonn"]],
    ["numbers among codes of one column", ["551000", "551001", "551002", ...Array<string>(40).fill("x12")]],
  ])("is not %s", (_, lines, given) => {
    expect(findOdd(cellsOf(lines), given)).toEqual({});
  });

  it("is the number of its columns, above all rows only", () => {
    const rows = ["1;2;3;4;5", ...PRICES];
    expect(findOdd(cellsOf(rows))).toEqual({ 0: "numbering 1" });
    expect(findOdd(cellsOf(["(1);(2);(3);(4);(5)", ...PRICES]))).toEqual({ 0: "numbering (1)" });
    expect(findOdd(cellsOf(["1;2;3;4", "5;6;7;8", "9;10;11;12"]))).toEqual({});
  });

  it("is found where one row in two is none, also by those that were found before it", () => {
    const children = PRICES.flatMap((row) => [row, ";suite de la ligne;;;"]);
    expect(Object.keys(findOdd(cellsOf(children)))).toEqual(["1", "3", "5", "7"]);
    const ledger = parted`
      411DUP;05/07/2016;FA1;Facture;1437,50;|411DUP;13/07/2016;VIR1;Reglement;;1437,50
      ;;;Total compte 411DUP;1437,50;1437,50|411MAR;06/07/2016;FA2;Facture;595,00;
      ;;;A reporter;2032,50;1437,50|Edition du 31/07;;;;;|;;;Report;2032,50;1437,50
      411MAR;21/07/2016;VIR2;Reglement;;595,00|;;;Total compte 411MAR;595,00;595,00
    `;
    expect(Object.keys(findOdd(cellsOf(ledger)))).toEqual(["2", "4", "5", "6", "8"]);
  });

  it("is found where there are more totals than rows, which have only their amounts in common", () => {
    const rows = parted`
      551035;13-10-2014;$1,450.00|551036;08-12-2014;$150.00|;Sub-total;$1,600.00|551037;14-09-2014;$850.00
      551038;25-04-2014;$1,450.00|Sub total;;$2,300.00|551039;06-04-2014;$550.00|Total Royal;;$550.00
      Total amount;;$4,450.00|;VAT 20%;$11,792.50|;Sales tax;$7,565.00|Average;;$703.50
    `;
    const odd = findOdd(cellsOf(rows), { digits: [0] });
    expect(odd).toMatchObject({ 2: "phrase Sub-total", 5: "phrase Sub total", 11: "phrase Average" });
  });

  it("is an object of JSON that holds nothing but one object, unless all are such", () => {
    const action = [new NestedValue("object")];
    const record = [undefined, "810008", "x"];
    expect(findOdd([action, record, action, record])).toEqual({ 0: "nested a", 2: "nested a" });
    expect(findOdd([action, action, action])).toEqual({});
  });

  it("is found among any number of forms, in memory that does not grow", () => {
    const width = 40;
    const rows = Array.from({ length: 12_000 }, (_, at) =>
      Array.from({ length: width }, (_, column) =>
        column < 4 ? `A${at}` : ((at * 2_654_435_761) >>> (column % 24)) % 2 === 0 ? "x" : "",
      ),
    );
    rows[7000] = ["", "", "", "", ...Array.from({ length: 36 }, () => ""), ""];
    rows[7000][3] = "Page 3";
    expect(findOdd(rows)).toEqual({ 7000: "lacks Page 3" });
  });

  it("stops the run where rows of very many forms are odd", () => {
    const odd = oddRows(60, {});
    const note = (at: number, cells: readonly string[]): void =>
      odd.note(madeRow({ line: at + 2, start: at, end: at + 1 }, cells));
    const full = Array.from({ length: 60 }, (_, column) => `A${column}`);
    for (let at = 0; at < 20_000; at++) note(at, full);
    const stray = (at: number): string[] =>
      Array.from({ length: 60 }, (_, column) =>
        column > 0 && column < 15 && (at >> (column - 1)) % 2 === 1 ? "x" : "",
      );
    expect(() => {
      for (let at = 1; at < 5000; at++) note(20_000 + at, stray(at));
    }).toThrow("rows of more than 1,024 forms are unlike the others");
  });
});

/** A row of one cell, as bytes. */
function rowOf(text: string, mark = 0, value: Cell = text): Row {
  const bytes = Buffer.from(`;${text};`);
  return {
    line: 2,
    start: 0,
    end: bytes.length,
    cells: [value],
    firstCell: 0,
    width: 1,
    spans: {
      bytes,
      areRowsAdjacent: true,
      starts: Int32Array.of(1),
      ends: Int32Array.of(bytes.length - 1),
      marks: Uint8Array.of(mark),
      text: () => text,
      value: () => value,
    },
  };
}

/** The same, made of its value. */
function plainRow(value: Cell): Row {
  return madeRow({ line: 2, start: 0, end: 1 }, [value]);
}

function formOf(forms: RowForms, row: Row, nulls?: NullWords) {
  const isRow = forms.look(row, { width: 1, key: undefined, nullsAt: [nulls] });
  const { cells, text } = forms.form;
  return isRow ? { cells, text } : { cells: " ", text: "none" };
}

describe("the form of a row", () => {
  it.each([
    [" ", ["", " ", "\u00a0", "NULL", " NULL "]],
    ["t", parted`Ecran|Été|12 rue Haute|20 %|Zone 5|à 3|vrai`],
    ["c", parted`FA001|84029E|A-12|="00123"|20%|n°5|5E+05`],
    ["n", parted`12|00123|1 250,00 €|-12.5|(5)|12.50-|$12|1.250.000|EUR 5|1'437.50`],
    ["d", parted`05/07/2016|31/02/2016|2016-01-02T10:11:12Z|23-Sep-11|1er juillet 2016|5.7.16|2016/7/5`],
    ["r", ["---", "=====", "* * *", "–"]],
  ] as const)("has %j for a cell", (expected, texts) => {
    const nulls = new NullWords(["NULL"]);
    for (const text of texts)
      for (const row of [rowOf(text), plainRow(text)])
        expect([text, formOf(new RowForms(), row, nulls).cells]).toEqual([text, expected]);
  });

  it("has from the bytes of a cell what its text is", () => {
    const part = fc.constantFrom(
      ...parted`
      12|5|05|2016|1250|juillet|mai|EUR|kr|A|CMD|été|rue|Total|solde|Page|x|n°|Le|null
      -|/|.|,|'|€|%|(|)|E|+|_|;| |\u00a0|\t|.
    `,
    );
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    const forms = new RowForms();
    fc.assert(
      fc.property(text, (said) => {
        expect(formOf(forms, rowOf(said)).cells).toBe(formOf(new RowForms(), plainRow(said)).cells);
      }),
      draws(600),
    );
  });

  it("says what the text says about the row, whatever its digits", () => {
    const word = fc.constantFrom(..."12 7 Total solde Page Lyon Dupont Client au du - : A FA001".split(" "));
    const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
    const forms = new RowForms();
    fc.assert(
      fc.property(text, (said) => {
        const { cells, text: naming } = formOf(forms, rowOf(said));
        expect(naming).toBe("tc".includes(cells) ? nameOf(said) : "none");
      }),
      draws(600),
    );
  });
});
