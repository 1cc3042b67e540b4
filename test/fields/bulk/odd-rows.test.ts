import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { FieldType } from "../../../src/fields/type-text.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { fieldOptions } from "../survey/survey-support.ts";
import { CSV, NAMES, recordText, surveyed, TYPES } from "./bulk-support.ts";

type Cells = Readonly<Record<string, string>>;

const ROW: Cells = {
  num_commande: "551035",
  date_billed: "25/07/2016",
  actual_billable_amount: "12,50",
  libelle: "a 1",
  note: "x",
  quantite: "3",
};
const LABELS = ["a 1", "b 2", "c 3"];

/** Rows like those before them but for some cells; each stands in the file twice, as the first may only teach something. */
const ODD: Readonly<Record<string, Cells>> = {
  "no number": { num_commande: "" },
  "no key": { cle: "" },
  "no key and no number": { cle: "", num_commande: "" },
  "no key and no date": { cle: "", date_billed: "" },
  "neither key, number nor date": { cle: "", num_commande: "", date_billed: "" },
  "the name of a total, a date, no number": { cle: "", num_commande: "", libelle: "Total général", note: "" },
  "only a key": {
    num_commande: "",
    date_billed: "",
    actual_billable_amount: "",
    libelle: "",
    note: "",
    quantite: "",
  },
  "only a no-break space": {
    cle: "",
    num_commande: "",
    date_billed: "",
    actual_billable_amount: "",
    libelle: "\u00a0",
    note: "",
    quantite: "",
  },
  "a quantity that is a word": { quantite: "deux" },
  "a quantity below zero": { quantite: "-3" },
  "a quantity with decimals": { quantite: "1,5" },
  "a quantity of zero": { quantite: "0" },
  "a large quantity": { quantite: "1200" },
  "a grouped quantity": { quantite: "1 200" },
  "a quantity with a mark before three digits": { quantite: "1,437" },
  "a key that is a number": { cle: "1024" },
  "a key that is no whole number": { cle: "10,5" },
  "a number that is negative": { num_commande: "-5" },
  "a text that is true": { libelle: "true" },
  "a text that is false": { libelle: "false" },
  "a text that is a number": { libelle: "12,5" },
  "a text that is an array": { libelle: "[1]" },
  "a text that is a negative number": { libelle: "-12" },
  "a value where there is no name": { "": "x" },
  "a key that ends as a total": { cle: "Dupont-total12", num_commande: "", date_billed: "", libelle: "" },
  "a key that begins as a total": { cle: "TOTAL2016", num_commande: "", date_billed: "", libelle: "" },
  "a rate as a key": { cle: "5,5%TVA", num_commande: "", date_billed: "", libelle: "" },
  "a mark before three digits": { actual_billable_amount: "1,437" },
  "an amount finer than the scale": { actual_billable_amount: "12,505" },
  "an amount much finer than the scale": { actual_billable_amount: "12,5055" },
  "an amount coarser than the scale": { actual_billable_amount: "12,5" },
  "minus zero": { actual_billable_amount: "-0,00" },
  "zeros before an amount": { actual_billable_amount: "012,50" },
  "many digits": { actual_billable_amount: "12345678901234,56" },
  "a date that is none": { date_billed: "31/02/2016" },
  "a date before a clock": { date_billed: "25/07/2016 08:30:00" },
  "a date at midnight": { date_billed: "25/07/2016T00:00:00" },
  "another day before a clock": { date_billed: "27/07/2016 23:59:59" },
  "another day at midnight": { date_billed: "28/07/2016 00:00:00" },
  "a date before an hour of the next day": { date_billed: "25/07/2016 24:00:00" },
  "a moment": { date_billed: "2016-07-25T08:30:00Z" },
  "another day": { date_billed: "26/07/2016" },
  "a short number": { num_commande: "7" },
  "a word for no value": { libelle: "null" },
  "a text decoded twice": { libelle: "Ã©tÃ©" },
  "an accent decoded twice further on": { libelle: "un texte assez long Ã©" },
  "a number with an exponent": { libelle: "5,5E+05" },
  "a town that begins as a word for no value": { libelle: "Nantes" },
  "a word for no value in capitals": { libelle: "NaN" },
  "a word for no value with a sign behind": { libelle: "undefined." },
  "a word for no value with a letter behind": { libelle: "undefinede" },
  "a word for no value before a space": { libelle: "null " },
  "a date that is none, as programs write it": { libelle: "NaT" },
  "letters of text decoded twice before ASCII": { libelle: "Âge du bâtiment, château, Ã" },
  "a mark decoded twice": { libelle: "10 â‚¬ â€" },
  "an address": { libelle: "12 bis rue de l'Église" },
  "an article's number with an exponent": { libelle: "84029E" },
  "a number with an exponent and no mark": { libelle: "1E875" },
  "a long number with an exponent": { libelle: "12345678901234567,5E+10" },
  "a telephone number": { libelle: "+33 6 12 34 56 78" },
  "a lone sign": { libelle: "-" },
  "a text without a digit": { libelle: "abc" },
  "a control character": { libelle: "a\u0001" },
  "a blank": { libelle: " " },
  "a key as before": { cle: "K1003" },
  "a key in the other case": { cle: "k1003" },
};

const OPTIONS: readonly Partial<FieldOptions>[] = [
  {},
  { fields: new Map([["num_commande", { required: true }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { set: new Map([["source", "x"]]) },
  { nulls: ["abc", "7"] },
  { types: new Map([["actual_billable_amount", { kind: "amount", scale: 2 }]]) },
  { totals: { isSkip: true, kept: new Set() }, sparse: "skip" },
  { drop: ["note"] },
];

/** The amounts of the plain rows. Once enough different ones were seen, later ones are no longer looked at as samples. */
const AMOUNTS: readonly ((at: number) => string)[] = [(at) => `${10 + at},50`, () => "0,00"];

/** Two dozen plain rows, of which some leave columns blank, the odd row, plain ones, the odd row again, plain ones. */
function fileOf(odd: Cells, amountAt: (at: number) => string): readonly Cells[] {
  const plain = (at: number): Cells => ({
    cle: `K${1000 + at}`,
    ...ROW,
    actual_billable_amount: amountAt(at),
    libelle: LABELS[at % LABELS.length]!,
  });
  const rows = Array.from({ length: 60 }, (_, at) => plain(at));
  rows[1] = { ...rows[1]!, cle: "" };
  rows[2] = { ...rows[2]!, num_commande: "" };
  rows[3] = { ...rows[3]!, note: "", libelle: "" };
  rows[4] = { ...rows[4]!, note: "y", actual_billable_amount: "" };
  rows[5] = { ...rows[5]!, note: "z", date_billed: "" };
  for (const at of [24, 45]) rows[at] = { ...rows[at]!, ...odd };
  return rows;
}

function asCsv(rows: readonly Cells[]): string {
  const columns = rows.some((row) => row[""] !== undefined) ? ["cle", ...NAMES.slice(1), ""] : NAMES;
  const lines = rows.map((row) => columns.map((name) => row[name] ?? "").join(";"));
  return [columns.join(";"), ...lines, ""].join("\n");
}

function asJson(rows: readonly Cells[], bare: readonly string[] = []): string {
  const isNameless = rows.some((row) => row[""] !== undefined);
  const all = rows.map((row) => (isNameless ? { ...row, "": row[""] ?? "" } : row));
  return `[${all.map((row) => recordText(row, bare)).join(",\n")}]`;
}

/** As web shops write it. */
function asBareJson(rows: readonly Cells[]): string {
  return asJson(rows, NAMES);
}

const FORMATS: readonly [string, typeof asCsv, ReadOptions][] = [
  ["CSV", asCsv, CSV],
  ["JSON", asJson, { declared: ["libelle", "note", "quantite"] }],
  ["JSON with numbers", asBareJson, { declared: ["libelle", "note", "quantite"] }],
];

describe("among amounts that are texts of JSON", () => {
  it.each(["3", "2.50"])("the number %s shows that they are no texts to be typed", async (number) => {
    let at = 0;
    const text = asJson(fileOf({ quantite: "#" }, AMOUNTS[0]!))
      .replaceAll('"quantite":"3"', () => `"quantite":"${at++ % 5},50"`)
      .replaceAll('"#"', number);
    const options = fieldOptions({ types: new Map(TYPES), otherColumns: "drop" });
    const read = { declared: ["libelle", "note", "quantite"] };
    const inBulk = await surveyed(text, read, options, 0, 0);
    expect(inBulk).toEqual(await surveyed(text, read, options, 0, Infinity));
  });
});

describe.each(FORMATS)("among plain rows of %s, a row with", (_format, write, read) => {
  it.each(Object.keys(ODD))("%s is surveyed and written as one after the other is", async (name) => {
    for (const chosen of OPTIONS) {
      for (const amountAt of AMOUNTS) {
        const text = write(fileOf(ODD[name]!, amountAt));
        const types = new Map<string, FieldType>([...TYPES, ...(chosen.types ?? [])]);
        const options = fieldOptions({ ...chosen, types, otherColumns: "drop" });
        const inBulk = await surveyed(text, read, options, 0, 0);
        expect(inBulk).toEqual(await surveyed(text, read, options, 0, Infinity));
      }
    }
  });

  it.each(["", "Xavier1total:"])(
    "little else than the key %j is found as one after the other is",
    async (key) => {
      const amountAt = (at: number): string => `${10 + at},50`;
      const rows = [...fileOf({}, amountAt), { cle: key, actual_billable_amount: "437,50" }];
      const options = fieldOptions({ types: new Map(TYPES), otherColumns: "drop", sparse: "skip" });
      const inBulk = await surveyed(write(rows), read, options, 0, 0);
      expect(inBulk).toEqual(await surveyed(write(rows), read, options, 0, Infinity));
      expect(inBulk).toMatchObject({ suspects: [expect.anything()] });
    },
  );
});
