import { describe, expect, it } from "vitest";
import { parted } from "../../support/parted.ts";
import { mayName, nameOf } from "../../../src/fields/odd/total-words.ts";

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
