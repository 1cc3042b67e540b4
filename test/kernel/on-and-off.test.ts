import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { RowExaminer } from "../../src/fields/record/examine-row.ts";
import type { FieldType } from "../../src/fields/type-text.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { CSV, isCreate, NAMES, placeOf, recordText, surveyed, TYPES } from "./kernel-support.ts";
import { draws } from "../support/draws.ts";
import { parted } from "../support/parted.ts";

const prefix = fc.constantFrom(...parted`C0000|c0000||CMD-|To|TVA|Cmde_|dupont-total|12%|é`);
const oneOf = (list: TemplateStringsArray) => fc.constantFrom(...parted(list));
const cells = {
  usual: fc.tuple(
    oneOf`551035|551036|00123|16000162`,
    oneOf`05/07/2016|26/03/2024|12/09/2016|31/12/2023|12/09/2016 08:30:00`,
    oneOf`1 437,50|595|12,5|-0,50|0|100,00|-0|007,50|1\u202f000,00|999 999 999 999,99`,
    oneOf`ouvert|été|a\tb|x\u0001|Nantes|Total SA|a b|livré le 5|Ecran 24"|x;y`,
    oneOf`|x|y|z`,
    oneOf`1|2|12|3|0`,
  ),
  odd: fc.tuple(
    fc.constantFrom(...parted`|7|551 035|x|="00123"|'00123|12.0|5.5E+05|0`, "1".repeat(70)),
    oneOf`
      |31/02/2024|2024-03-26|5/7/16|01/02/2016|26/03/2024T00:00:00|2016-07-25T08:30:00|2016-07-25T24:00:00
      2016-07-25T00:00:00+02:00|26/03/2024 9:30
    `,
    oneOf`
      |1.437|12,5 €|abc|1437,125|12345678901234567|1437,50|0 123|-0|-0,05|00,50|000|(12,50)|12,-|="12,50"
      EUR 5|+3
    `,
    oneOf`|null|5,5E+05|Ã©tÃ©| |12|undefined|NaN|Ünie|×`,
    oneOf`NULL| |Ç|\u00a0|0|#N/A`,
    oneOf`|x|-1|1 000|2,50|1,5|1,437|2000|true|false|-0|007|0,5`,
  ),
};
const row = fc.record({
  cells: cells.usual,
  odds: fc.tuple(cells.odd, fc.nat(90)),
  key: fc.tuple(prefix, fc.nat(60)),
  kind: fc.nat(99),
});
const table = fc.record({
  rows: fc.array(row, { minLength: 12, maxLength: 150 }),
  keys: fc.constantFrom("rising", "repeated", "falling", "drawn", "folded", "none"),
  /** Whether nearly all numbers have one width, and nearly all texts a digit. */
  isSteady: fc.boolean(),
  /** Whether all cells of a CSV are in quotes. */
  isQuoted: fc.boolean(),
  /** The columns with numbers of JSON. */
  bare: fc.subarray(["cle", ...NAMES.slice(1)]),
  columns: fc.constantFrom(
    ["libelle", ...NAMES.filter((name) => name !== "libelle")],
    NAMES,
    NAMES.slice(0, 4),
    NAMES.slice(1),
    [...NAMES, ""],
    NAMES.toReversed(),
  ),
});

type Table = (typeof table)["generate"] extends (...given: never[]) => { value: infer Value } ? Value : never;

const TOTALS = ["TOTAL2016", "Total-2016", "S/T-1", "Dupont-1-total", "12%TVA"] as const;

/** The rows of a table by column name, and what stands between them. */
function rowsOf({ rows, keys, isSteady }: Table): readonly (string | ReadonlyMap<string, string>)[] {
  return rows.map(({ cells: usual, odds: [odds, at], key: [start, number], kind }, index) => {
    if (kind === 0) return "";
    if (kind === 1) return ["Total", "", "", "1 437,50", "", "", ""].join(";");
    const key = {
      rising: `C${1000 + index}`,
      repeated: `C${1000 + Math.floor(index / 3)}`,
      falling: `C${5000 - index}`,
      drawn: start + String(number),
      folded: `${index % 2 === 0 ? "c" : "C"}${number}`,
      none: "",
    }[keys];
    if (kind === 2) return new Map([["cle", `K${number}`]]);
    if (kind === 3) {
      const amount = number % 2 === 0 ? usual[2] : "1 437,50";
      return new Map(
        Object.entries({ cle: TOTALS[number % TOTALS.length]!, actual_billable_amount: amount }),
      );
    }
    const values = usual.map((cell, of) => (of === at ? odds[of]! : cell));
    if (isSteady && kind < 97) {
      values[0] = String(551_000 + number);
      values[3] = `ligne ${number}`;
    }
    if (kind === 4 || kind === 5) values[0] = "";
    if (kind === 5 || kind === 6) values[1] = "";
    const isCreate = kind < 12;
    return new Map(NAMES.map((name, of) => [name, of === 0 ? (isCreate ? "" : key) : values[of - 1]!]));
  });
}

function quoted(cell: string, isQuoted: boolean): string {
  return isQuoted || /[";]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function asCsv(given: Table): string {
  const lines = rowsOf(given).map((found) =>
    typeof found === "string"
      ? found
      : given.columns.map((name) => quoted(found.get(name) ?? "", given.isQuoted)).join(";"),
  );
  return [given.columns.join(";"), ...lines, ""].join("\n");
}

function asJson(given: Table): string {
  const records = rowsOf(given).flatMap((found, index) =>
    typeof found === "string"
      ? []
      : [recordText(Object.fromEntries(found), index % 7 === 6 ? [] : given.bare)],
  );
  return `[${records.join(",\n")}]`;
}

const options = fc.constantFrom<Partial<FieldOptions>>(
  {},
  {},
  { drop: ["note"] },
  { nulls: ["NULL", "ouvert"] },
  { fields: new Map([["num_commande", { required: true }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { set: new Map([["source", "x"]]) },
  { totals: { isSkip: true, kept: new Set(["Total"]) } },
  { pins: { decimal: "," } },
  { only: "updates" },
  { empty: "send" },
  { drop: ["cle"] },
  { empty: "send", nulls: ["595"], fields: new Map([["libelle", { default: "rien" }]]) },
  { only: "creates", set: new Map([["source", 'web "1"']]) },
  { fields: new Map([["num_commande", { required: true, pattern: "5.*" }]]) },
  { types: new Map([["actual_billable_amount", { kind: "amount", decimal: "." }]]) },
);

/** How many of the text columns are not declared, and what becomes of those. */
const others = fc.record({
  undeclared: fc.constantFrom(0, 0, 1, 3),
  answer: fc.constantFrom("drop", "drop", "send", undefined),
});

afterEach(() => vi.restoreAllMocks());

describe("plain rows", () => {
  it.each([
    ["CSV", asCsv, CSV],
    ["JSON", asJson, { declared: ["libelle", "note", "quantite"] }],
  ] as const)(
    "of %s are surveyed and written as with care, and as they are counted",
    async (_, write, read) => {
      const examined = vi.spyOn(RowExaminer.prototype, "examine");
      const looks = { asPlain: 0, withCare: 0 };
      let agreed = 0;
      const sizes = fc.constantFrom(300, 40, 0);
      await fc.assert(
        fc.asyncProperty(table, options, others, sizes, async (given, chosen, other, size) => {
          const text = write(given);
          const isThere = ([name]: readonly [string, unknown]): boolean =>
            read !== CSV || given.columns.includes(name);
          const declared = TYPES.filter(isThere).slice(other.undeclared);
          const types = new Map<string, FieldType>([...declared, ...(chosen.types ?? [])]);
          const { otherColumns: _, ...asked } = fieldOptions({ ...chosen, types });
          const all = other.answer === undefined ? asked : { ...asked, otherColumns: other.answer };
          examined.mockClear();
          const asPlain = await surveyed(text, read, all, size, false);
          looks.asPlain += examined.mock.calls.length;
          examined.mockClear();
          const withCare = await surveyed(text, read, all, size, true);
          looks.withCare += examined.mock.calls.length;
          expect(asPlain).toEqual(withCare);
          if (!("judged" in asPlain)) return;
          agreed += 1;
          expect(asPlain.counts).toMatchObject(asPlain.judged.counts);
          expect(asPlain.judged.problems).toEqual(asPlain.problems.map(placeOf));
          expect(asPlain.creates).toEqual(asPlain.made.flatMap(({ texts }) => texts.filter(isCreate)));
        }),
        draws(80),
      );
      // Otherwise there would be nothing to prove.
      expect(looks.withCare - looks.asPlain).toBeGreaterThan(500);
      expect(agreed).toBeGreaterThan(5);
    },
  );

  it("hold each character where it stands, and sums to the last unit", async () => {
    const letters = "abcdefgh";
    const texts = Array.from('"\\\t\u0001\u001f\u007fé').flatMap((sign) =>
      Array.from({ length: 9 }, (_, at) => `${letters.slice(0, at)}${sign}${letters.slice(at)}`),
    );
    const rows = texts.map((text, at) => `K${1000 + at};${text};9999999999999,${10 + (at % 90)}`);
    const table = `cle;libelle;actual_billable_amount\n${rows.join("\n")}\n`;
    const given = fieldOptions({ types: new Map([["libelle", { kind: "text" }]]) });
    const read = { ...CSV, quote: "" as const };
    const asPlain = await surveyed(table, read, given, 0, false);
    expect(asPlain).toEqual(await surveyed(table, read, given, 0, true));
    const made = "made" in asPlain ? asPlain.made.flatMap((chunk) => chunk.texts) : [];
    const labels = made.map((record) => (JSON.parse(String(record[3])) as { libelle: string }).libelle);
    expect(labels).toEqual(texts);
  });

  it("are what exports hold, whether it is declared or not", async () => {
    const texts = parted`
      Nantes|Saint-Étienne|12 rue de l'Église|Unieux|château d'Âge|84029E|-495.8|+33 6
    `;
    const rows = Array.from({ length: 2000 }, (_, at) => {
      const text = (by: number): string => texts[(at + by) % texts.length]!;
      const clock = `2${at % 4}:10:5${at % 4}`;
      const date = `25/07/2016 ${clock}`;
      return `K${1000 + at};${551_000 + at};${date};1 437,50;${text(0)};${text(3)};${text(5)};Société ${at};2016-07-25T${clock}`;
    });
    const table = `${[[...NAMES, "ville", "cree_le"].join(";"), ...rows].join("\n")}\n`;
    const examined = vi.spyOn(RowExaminer.prototype, "examine");
    const date = ["cree_le", { kind: "date" }] as const;
    const declared = new Map<string, FieldType>([...TYPES, ["ville", { kind: "text" }], date]);
    for (const types of [declared, new Map<string, FieldType>([date])]) {
      for (const otherColumns of ["send", "drop"] as const) {
        examined.mockClear();
        const told = await surveyed(table, CSV, fieldOptions({ types, otherColumns }), 0, false);
        expect(told).toMatchObject({ counts: { updates: 2000, invalid: 0 } });
        expect(examined.mock.calls.length).toBeLessThan(40);
      }
    }
  });
});
