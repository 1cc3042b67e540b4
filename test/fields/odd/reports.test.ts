import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { fieldOptions } from "../survey/survey-support.ts";
import { sourceOf } from "../../read/chunks.ts";
import { parted } from "../../support/parted.ts";
import { prepareWhole } from "../../support/prepare-whole.ts";

/** The records that a report gives, under `--totals skip --sparse skip`, `--other-columns send` and `more`. */
async function sent(
  lines: readonly string[],
  answer: "skip" | undefined = "skip",
  more: Partial<FieldOptions> = {},
): Promise<readonly string[]> {
  const answers = answer && { totals: { isSkip: true, kept: new Set<string>() }, sparse: answer };
  const options = fieldOptions({ otherColumns: "send", ...answers, ...more });
  const outcome = await prepareWhole(sourceOf(`${lines.join("\n")}\n`), options);
  if (outcome.kind === "refused") throw outcome.error;
  return outcome.records.map((record) => recordJson(record));
}

describe("a report of several pages", () => {
  it("gives the records of a ledger with titles, carried sums and footers on each page", async () => {
    const titles = ["SARL MARTIN & FILS;;;;;", "Grand-livre des comptes;;;;;"];
    const header = "Compte;Date;Piece;Libelle;Debit;Credit";
    const lines = [
      ...titles,
      ";;;;;",
      header,
      "411DUPONT;05/07/2016;FA1;Facture;1 437,50;",
      "411DUPONT;13/07/2016;VIR12;Reglement;;1 437,50",
      ";;;Total compte 411DUPONT;1 437,50;1 437,50",
      "411MARTIN;06/07/2016;FA2;Facture;595,00;",
      ";;;A reporter;2 032,50;1 437,50",
      ...titles,
      header,
      ";;;Report;2 032,50;1 437,50",
      "411MARTIN;21/07/2016;VIR13;Reglement;;595,00",
      ";;;Total compte 411MARTIN;595,00;595,00",
      ";;;Total general;2 032,50;2 032,50",
      "Sage 100 - Edite le 31/07/16;;;;;Page 2",
    ];
    // "Page 2" stands in that column.
    const typed = { types: new Map([["Credit", { kind: "amount" } as const]]) };
    expect(await sent(lines, "skip", typed)).toEqual([
      '{"compte":"411DUPONT","date":"2016-07-05","piece":"FA1","libelle":"Facture","debit":"1437.50"}',
      '{"compte":"411DUPONT","date":"2016-07-13","piece":"VIR12","libelle":"Reglement","Credit":"1437.50"}',
      '{"compte":"411MARTIN","date":"2016-07-06","piece":"FA2","libelle":"Facture","debit":"595.00"}',
      '{"compte":"411MARTIN","date":"2016-07-21","piece":"VIR13","libelle":"Reglement","Credit":"595.00"}',
    ]);
    // Nothing of it is sent unless the user says that the others are left out.
    expect(await sent(lines, undefined, typed)).toHaveLength(4);
  });

  it("gives no record of page numbers and places to sign among rows with a code", async () => {
    const words = parted`
      Page 1/2;;|- Seite 2 von 3 -;;|Imprimé par : Sage 100;;|Signature et cachet;;|Fin;;
    `;
    const rows = Array.from({ length: 12 }, (_, at) => `C${at + 1};Dupont;75001`);
    for (const word of words) expect(await sent(["Art;Nom;CP", ...rows, word])).toHaveLength(12);
    const pages = rows.flatMap((row, at) => (at % 3 === 0 ? [row, `Page ${at / 3 + 1};;`] : [row]));
    expect(await sent(["Art;Nom;CP", ...pages])).toHaveLength(12);
  });

  it("gives the records of a list in which names stand alone", async () => {
    const names = ["Page 12;;", "Signature;;", "Number 5;;", "Stand 3x3;;", "Fine Wines Ltd;;", "Fin;;"];
    expect(await sent(["Nom;CP;Remarque", "Dupont;75001;x", "Martin;;", ...names], undefined)).toHaveLength(
      8,
    );
    expect(await sent(["Page;Remarque", "Page 1;", "Page 2;", "Page 3;vide"], undefined)).toHaveLength(3);
    expect(await sent(["Article;Prix", "Date Medjool 1kg;", "Kiwi;12,00"], undefined)).toHaveLength(2);
  });

  it("gives the records of a table in which totals fill what all rows fill", async () => {
    const accounts = parted`
      Compte;Libelle;N;Reste|60;Achats;100,00;90,00|601;Matieres;60,00;50,00|602;Fournitures;40,00;40,00
      TOTAL CHARGES;;100,00;90,00|70;Total Energies;250,00;190,00
    `;
    expect(await sent(accounts, "skip", { only: "creates" })).toHaveLength(4);
    const bank = parted`
      Date;Valeur;Libelle;Debit;Credit;Devise
      01/07/2016;01/07/2016;ANCIEN SOLDE CREDITEUR AU 30/06/2016;;100,00;EUR
      13/07/2016;13/07/2016;VIR Dupont;;437,50;EUR|14/07/2016;14/07/2016;SOLDE FACTURE 12;5,00;;EUR
      14/07/2016;14/07/2016;SOLDE;7,00;;EUR
    `;
    expect(await sent(bank)).toHaveLength(4);
  });
});

describe("a table with words for totals among its names", () => {
  it.each([
    ["people", ["Name;Ort;Betrag;Notiz", "Ernst;Bonn;20,00;", "Max Weber;;50,00;", "Weber Max;;20,00;"]],
    [
      "lines of a bank",
      ["Date;Libelle;Montant", "05/07/2016;Repas;40,00", "13/07/2016;Transport;40,00", "14/07/2016;CB;1,00"],
    ],
  ])("gives all its records: %s", async (_, lines) => {
    expect(await sent(lines, undefined)).toHaveLength(lines.length - 1);
  });

  it("asks about a word for a total, and sends the row whose text is named", async () => {
    const lines = ["Categorie;Montant", "Transport;40,00", "Loyer;500,00", "Somme;7,00", "Report;12,00"];
    expect(await sent(lines, undefined)).toHaveLength(2);
    const kept = { totals: { isSkip: true, kept: new Set(["Somme"]) } };
    expect(await sent(lines, undefined, kept)).toHaveLength(3);
  });
});
