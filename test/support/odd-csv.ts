import fc from "fast-check";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";

/** The columns of the files below. */
export const HEADER = "cle;num_commande;date_billed;actual_billable_amount;libelle";
/** The options with which they are read. */
export const READ: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };

const usual = fc.tuple(
  fc.constantFrom("K1", "C0000002", "551035", ""),
  fc.constantFrom("551035", "00123", ""),
  fc.constantFrom("05/07/2016", "26/03/2024", "2024-03-26", ""),
  fc.constantFrom("1 437,50", "595", "-0,5", "", "1\u202f000,00"),
  fc.constantFrom("ouvert", "été", " ", "", "a b"),
);
const odd = fc.tuple(
  fc.constantFrom("NULL", " K9 ", "é1", "5E+05", "5.5E+05", "\u00a0", "=1"),
  fc.constantFrom("551 035", '="00123"', "x", "1,5"),
  fc.constantFrom("31/02/2024", "5/7/16", "1 mai 2024", "x"),
  fc.constantFrom("1.437", "1 437 €", "12 $", "abc", "(5)"),
  fc.constantFrom("2 lignes\nici", 'Ecran 24"', "\\", "\u00a0", "total; général"),
);
const cells = fc.oneof(
  { weight: 12, arbitrary: usual },
  {
    weight: 2,
    arbitrary: fc
      .tuple(usual, odd, fc.nat(4))
      .map(([row, odds, at]) => row.map((cell, index) => (index === at ? odds[at]! : cell))),
  },
);
const row = fc
  .tuple(cells, fc.boolean())
  .map(([cells, isQuoted]) =>
    cells
      .map((cell) => (isQuoted || /[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(";"),
  );
const line = fc.oneof(
  { weight: 60, arbitrary: row },
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("une seule", "a;b;c;d;e;f", "  ", 'a"b;;;;', '"a"b;;;;', "Total;;;12,5;"),
  },
);
/** Files of mostly usual rows, and some odd ones as people and programs write them. */
export const oddFile = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n", "\r"))
  .map(([lines, end]) => [HEADER, ...lines].join(end) + end);
/** Options that change the records. */
export const recordOptions = fc.constantFrom<Partial<FieldOptions>>(
  {},
  { drop: ["libelle"] },
  { drop: ["cle"] },
  { set: new Map([["source", 'web "1"']]) },
  { nulls: ["NULL", "ouvert"] },
  { empty: "send" },
  { empty: "send", nulls: ["595"], fields: new Map([["libelle", { default: "rien" }]]) },
  { only: "updates" },
  { only: "creates", set: new Map([["source", "x"]]) },
  { fields: new Map([["num_commande", { required: true, pattern: "5.*" }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { types: new Map([["actual_billable_amount", { kind: "amount", decimal: "." }]]) },
);
