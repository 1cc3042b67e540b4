import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { mayName, nameOf } from "../../../src/fields/odd/row-forms.ts";
import { type Cell, type RejectedRow } from "../../../src/model/rows.ts";
import { makeRecords } from "../../support/make-records.ts";
import { parted } from "../../support/parted.ts";
import { chunksOf, csvReading, jsonReading, survey } from "../survey/survey-support.ts";

type Rows = readonly (readonly Cell[])[];

const COLUMNS = ["cle", "num_commande", "date_billed", "libelle", "actual_billable_amount"];
const BODY: Rows = [
  ["A1", "551035", "05/07/2016", "Ecran", "100,10"],
  ["A2", "551036", "13/07/2016", "Clavier", "20,00"],
  ["A3", "551037", "14/07/2016", "", "3,20"],
];
const TOTAL = ["", "", "", "Total", "123,30"];
const REMARK = ["", "", "", "voir page 3", ""];
const SKIP = { totals: { isSkip: true, kept: new Set<string>() } };

/** Surveys rows and makes their records as a push does, at any chunk size. */
async function judged(rows: Rows, options: Partial<FieldOptions> = {}, reading = csvReading(COLUMNS)) {
  let first: { readonly invalid: number[]; readonly skipped: number[]; readonly sent: number[] } | undefined;
  let found: ReturnType<typeof survey>;
  let rejected: readonly RejectedRow[] = [];
  for (const size of [1, 2, 1000]) {
    const chunks = chunksOf(COLUMNS, rows, size);
    found = survey(reading, chunks, options);
    const made = makeRecords(found.plan, chunks);
    const lines = {
      invalid: made.rejected.map(({ line }) => line),
      skipped: made.empty.map(({ line }) => line),
      sent: made.records.map(({ line }) => line),
    };
    expect(found.problems.map(({ line, reason }) => [line, reason])).toEqual(
      made.rejected.flatMap(({ problems }) => problems.map(({ line, reason }) => [line, reason])),
    );
    expect(found.counts).toMatchObject({
      rows: rows.length,
      invalid: lines.invalid.length,
      skipped: lines.skipped.length,
      updates: made.records.filter(({ key }) => key !== undefined).length,
      creates: made.records.filter(({ key }) => key === undefined).length,
    });
    expect(lines).toEqual(first ?? lines);
    first = lines;
    rejected = made.rejected;
  }
  return { ...first!, found: found!, rejected };
}

describe("rows unlike all others", () => {
  it("are invalid wherever they stand, with the options that settle them", async () => {
    const last = ["A4", "551038", "15/07/2016", "x", "1,00"];
    const { invalid, found, rejected } = await judged([TOTAL, ...BODY, REMARK, last]);
    expect(invalid).toEqual([2, 6]);
    // In a file of rejects the row shows its text by itself.
    expect(rejected[0]).toMatchObject({
      problems: [
        { line: 2, reason: "the row looks like a total", hint: "--totals skip leaves such rows out" },
      ],
    });
    expect(found.problems).toEqual([
      {
        line: 2,
        value: "Total",
        reason: "the row looks like a total",
        hint: "--totals skip leaves such rows out, --totals keep=Total sends those with this text",
      },
      {
        line: 6,
        value: "voir page 3",
        reason: "the row is unlike all others: it lacks most of what they hold",
        hint: "--sparse skip leaves such rows out, --sparse keep sends them",
      },
    ]);
  });

  it("are left out, and always noted", async () => {
    const { skipped, sent, found } = await judged([...BODY, TOTAL, REMARK], { ...SKIP, sparse: "skip" });
    expect([skipped, sent]).toEqual([
      [5, 6],
      [2, 3, 4],
    ]);
    expect(found.notices).toEqual([
      { text: "1 row unlike all others is left out (--totals skip): line 5 (Total)", isAlwaysShown: true },
      {
        text: "1 row unlike all others is left out (--sparse skip): line 6 (voir page 3)",
        isAlwaysShown: true,
      },
    ]);
  });

  it("are rows if their text is named, and no others", async () => {
    const kept = { totals: { isSkip: false, kept: new Set(["Total"]) } };
    const { invalid, sent, found } = await judged([...BODY, TOTAL, ["", "", "", "Solde", "1,00"]], kept);
    expect([invalid, sent]).toEqual([[6], [2, 3, 4, 5]]);
    expect(found.notices).toContainEqual({
      text: "1 row unlike all others is taken as a row (--totals keep): line 5 (Total)",
    });
  });

  it("are rows under --sparse keep, but no row that calls itself a total is", async () => {
    const { invalid, sent } = await judged([...BODY, TOTAL, REMARK], { sparse: "keep" });
    expect([invalid, sent]).toEqual([[5], [2, 3, 4, 6]]);
  });

  it("give no value to the column that they are in", async () => {
    const footer = ["", "", "Page 2", "", ""];
    const { found } = await judged([...BODY, footer], { sparse: "skip" });
    expect(found.columns[2]).toMatchObject({ type: "date" });
    const columns = ["cle", "Livraison", "Prix", "Lot"];
    const rows = [
      ...Array.from({ length: 5 }, (_, at) => [`A${at}`, "25/07/2016", `${at},50`, "L1"]),
      ["", "Page 2", "", ""],
    ];
    const undeclared = survey(csvReading(columns), chunksOf(columns, rows, 2), { sparse: "skip" });
    expect(undeclared.columns.map(({ type }) => type)).toEqual(["text", "date", "amount", "text"]);
  });

  it("are a fifth of many rows: first the file is looked at", async () => {
    const rows = Array.from({ length: 24 }, (_, at) =>
      at % 4 === 3 ? REMARK : [`A${at}`, `55${1000 + at}`, "25/07/2016", "x", "1,00"],
    );
    const { found } = await judged(rows);
    expect(found.counts.invalid).toBe(6);
    expect(found.problems[0]?.hint).toBe(
      "so many rows are unlike the others: mend what they lack in the file, or say with --header-line which line holds the names; --sparse skip leaves such rows out, --sparse keep sends them",
    );
    const json = await judged(rows, {}, jsonReading());
    expect(json.found.problems[0]?.hint).toMatch(
      /^so many rows are unlike the others: mend what they lack in the file; /,
    );
  });

  it("are open where no option answers for them, with their first lines and texts", async () => {
    const asked = async (...rows: Rows) => (await judged([...BODY, ...rows])).found.plan.suspects?.open;
    const none = { rows: 0, lines: [], texts: new Set() };
    expect(await asked(TOTAL, ["", "", "", "Solde", "1,00"])).toEqual({
      totals: { rows: 2, lines: [5, 6], texts: new Set(["Total", "Solde"]) },
      sparse: none,
    });
    expect(await asked(REMARK)).toMatchObject({ totals: none, sparse: { rows: 1, lines: [5] } });
  });
});

const PHRASES =
  "Total|TOTAL|Total général :|Totaux|Sous-total|Sous total HT|S/Total|Grand total|Gesamtsumme|Summe|Totale|Totaal|Suma|TVA 20 %|TVA (5,5%)|T.V.A. 20%|20 % TVA|Total TTC|Total H.T.|Net à payer|À reporter|A reporter|Report à nouveau|Endbetrag|Neuer Saldo|Alter Saldo|Ending balance|Solde|Solde au 31/07/2016|Moyenne|Total juillet 2016|Total mois de juillet|*** Total ***|Total (EUR)|Total €|Total du mois|Total (2)|Übertrag|Gesamt netto|MwSt. 19 %|Total 12 commandes|Total page 1|Subtotal:|Net à payer TTC|Amount due|Order amount|VAT 20%|Saldo|IVA 21 %|Totale generale|zzgl. 19 % MwSt.|dont TVA 20 %|Solde initial|Solde précédent|Solde créditeur|Total des mouvements|L'ensemble|T O T A L|Nb lignes : 12|Restant dû|Reste à régler|Arrondi";
const TOTALS_OF_NAMES =
  "Sous-total Lyon|Dupont Total|DURAND & FILS TOTAL :|Zwischensumme Müller|Total France|Solde SARL|Total Energies|Total & Fils";
const NAMES =
  "TotalEnergies|Totalisateur|Media Markt|New Balance|Balance Sport|Marge Simpson|Ensemble Vocal|Report & Co|Net Express|Sum Design|Saldo Nord|Somme Distribution|Tax Free SARL|Ecran|Summer|Sommer|Netto Marken-Discount|Transport|Journal|Clients|F000121||12|20 %|net|Durand|Station Totale Access|A1";

describe("the text of a row", () => {
  it.each([
    ...PHRASES.split("|").map((text) => [text, "phrase"] as const),
    ...TOTALS_OF_NAMES.split("|").map((text) => [text, "name"] as const),
    ...NAMES.split("|").map((text) => [text, "none"] as const),
    [`Total ${"1".repeat(60)}`, "none"] as const,
  ])("%j names a total: %s", (text, naming) => {
    expect(nameOf(text)).toBe(naming);
    expect(nameOf(` ${text.toUpperCase()} `)).toBe(naming);
    const bytes = Buffer.from(`x${text};`);
    expect(naming === "none" || mayName(bytes, 1, bytes.length - 1)).toBe(true);
  });

  it("is not looked at as a whole where it begins as no total does", () => {
    for (const text of parted`F000121|12 rue Haute|Bureau|B2-77|Dupont SA|05/07/2016|Durand 12`)
      expect([text, mayName(Buffer.from(`l${text}`), 1, text.length + 1)]).toEqual([text, false]);
  });
});
