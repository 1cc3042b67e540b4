import { describe, expect, it } from "vitest";
import {
  isCountPhrase,
  isTotalPhrase,
  mayBePhrase,
  mayEndAsTotal,
  namesFigure,
  namesSum,
  TOTAL_WORDS,
} from "../../../src/fields/totals/total-phrase.ts";

const PHRASES =
  "Total|TOTAL|Total général :|Totaux|Sous-total|Sous total HT|Grand total|Gesamtsumme|Summe|Totale|Totaal|Totais|Suma|TVA 20 %|TVA (5,5%)|T.V.A. 20%|Total TTC|Total H.T.|Net à payer|À reporter|A reporter|Report à nouveau|Endbetrag|Solde|Solde au 31/07/2016|Moyenne|Total juillet 2016|Total T3 2016|Sous-total Dupont|*** Total ***|Total (EUR)|Total €|Total du mois|Zwischensumme Müller|Übertrag|Gesamt netto|MwSt. 19 %|Total 12 commandes|Total page 1|Subtotal:|Net à payer TTC|Amount due|VAT 20%|Saldo|IVA 21 %|Suma y sigue|Totale generale|Da riportare|Totaal incl. btw|Over te dragen|Líquido a pagar|A transportar|Média|= Total =|Total de 2016|Suma total|zzgl. 19 % MwSt.|dont TVA 20 %|inkl. MwSt.|di cui IVA 22%|plus VAT|Solde initial|Solde précédent|Ancien solde|Solde créditeur|Total des mouvements|Total du compte|Total journal|Seitensumme|Übertrag auf Seite 1|Übertrag von Seite 1|Transporte da página anterior|Riporto pagina precedente|Total previous page";
const NAMES =
  "Total SA|Total Energies|TotalEnergies|Totalisateur|Media Markt|Balance board|Tax Free SARL|Total Access 24|Report SA|Ecran|Summer|Sommer|Netto Marken-Discount|Taxi|Somme (80)|Transport Dupont|Saldo Nord|F000121||12|Solde de tout compte Dupont|Plus Discount|Plus 20 %|Inkl. Versand|20 % Rabais|20 %|3 Total|100 % Total Energies";

describe("the phrase of a total", () => {
  it.each([...PHRASES.split("|"), ...TOTAL_WORDS])("is %s", (text) => {
    expect(isTotalPhrase(text)).toBe(true);
    expect(isTotalPhrase(` ${text.toUpperCase()} `)).toBe(true);
    const bytes = Buffer.from(text);
    expect(mayBePhrase(bytes[0]!, bytes[1]!)).toBe(true);
  });

  it.each(["20 % TVA", "5,5% T.V.A.", "19 % MwSt."])("is %s, with the rate in front", (text) => {
    expect(isTotalPhrase(text)).toBe(true);
  });

  it.each(NAMES.split("|"))("is not %s", (text) => {
    expect(isTotalPhrase(text)).toBe(false);
  });

  it.each([
    "Nb lignes",
    "Nombre d'enregistrements :",
    "Nombre de commandes",
    "Total commandes",
    "Number of rows",
  ])("of a count is %s", (text) => {
    expect(isCountPhrase(text)).toBe(true);
    expect(mayBePhrase(text.charCodeAt(0), text.charCodeAt(1))).toBe(true);
  });

  it.each(["Nb", "NB-12", "Nb lignes Dupont", "Total", "Commandes"])("of a count is not %s", (text) => {
    expect(isCountPhrase(text)).toBe(false);
  });

  it.each([
    ["Total Dupont", true],
    ["Total SA", true],
    ["Gesamt Nord", true],
    ["Totalisateur", false],
    ["Media Markt", false],
    ["Somme Dupont", true],
    ["Dupont Total", true],
    ["DURAND & FILS TOTAL :", true],
    ["Nord Ergebnis", true],
    ["Subtotal", true],
    ["Durand", false],
    ["Station Totale Access", false],
    ["", false],
  ])("may name a sum %s: %s", (text, expected) => {
    expect(namesSum(text)).toBe(expected);
  });

  it.each([
    ["Nombre Dupont", true],
    ["Dupont Count", true],
    ["Moyenne", true],
    ["Count Basie", false],
    ["Max", true],
    ["Min :", true],
    ["Max Weber", false],
    ["Weber Max", false],
    ["Dupont", false],
  ])("may name another figure %s: %s", (text, expected) => {
    expect(namesFigure(text)).toBe(expected);
  });

  it.each(["Dupont Total", "Dupont TOTAL :", "Nord Ergebnis", "Dupont Count *", "Total"])(
    "may end %s",
    (text) => {
      const bytes = Buffer.from(`x${text};`);
      expect(mayEndAsTotal(bytes, 1, bytes.length - 1)).toBe(true);
    },
  );

  it.each(["Dupont", "Paris", "al", "", "Total 2016 K"])("does not end %s", (text) => {
    const bytes = Buffer.from(`Total${text};`);
    expect(mayEndAsTotal(bytes, 5, bytes.length - 1)).toBe(false);
  });

  it.each(["F000121", "A1", "12", "Ecran", "B2-77"])("is not looked for in %s", (text) => {
    expect(mayBePhrase(text.charCodeAt(0), text.charCodeAt(1))).toBe(false);
  });
});
