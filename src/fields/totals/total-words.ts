/**
 * Words for a sum that may be followed by a name (`Total Dupont`): French, English, German, Spanish, Italian, Dutch,
 * Portuguese.
 */
export const SUM_WORDS = list(`
  total, totaux, sous total, sous totaux, grand total, totals, sub total, subtotal, subtotals,
  summe, summen, gesamt, gesamtsumme, gesamtbetrag, zwischensumme, zwischensummen, zwischentotal, seitensumme, seitentotal,
  endsumme, endbetrag,
  insgesamt, nettosumme, bruttosumme, totalbetrag, totales, subtotales, totale, totali, totalen, sub totale, subtotale,
  subtotali, totaal, subtotaal, eindtotaal, totaalbedrag, totais, subtotais, sub totais,
  somme, sommes, sum, sums, suma, sumas, somma, som, soma, somas`);

/** Words for a sum that may stand behind a name, as the subtotals of a spreadsheet have them (`Dupont Total`). */
export const BACK_WORDS = list(`
  total, totals, subtotal, subtotals, totaux, totale, totaal, gesamt, summe, ergebnis, suma, somme, sum, totalt`);

/** Words for other figures of a group that a spreadsheet puts into a row of its own (`Nombre Dupont`, `Dupont Count`). */
export const FIGURE_WORDS = list(`
  nombre, nb, moyenne, minimum, maximum, produit, mediane, variance`);
export const BACK_FIGURE_WORDS = list(`count, average, product, anzahl, mittelwert, median`);
/** Words for a figure that are names of people too, if another word is with them: `Max Weber`. */
export const LONE_FIGURE_WORDS = list(`min, max`);

/** Words for part of a sum: whatever follows them is the group. */
export const SUBTOTAL_WORDS = list(`
  sous total, sous totaux, sub total, subtotal, subtotals, zwischensumme, zwischensummen, zwischentotal, subtotales,
  sub totale, subtotale, subtotali, subtotaal, subtotais, sub totais`);

/** Words for a sum that is carried from page to page, or from year to year. */
export const CARRIED_WORDS = list(`
  report, report a nouveau, a reporter, a nouveau, report page precedente, carried forward, carried over, brought forward,
  balance carried forward, balance brought forward, ubertrag, vortrag, saldovortrag, suma y sigue, suma anterior,
  a transportar, transporte, transport, da riportare, riporto, a riportare, over te dragen, overdracht`);
/** Words that make any total the sum of a page: `Total page 2`. */
export const PAGE_WORDS = list(`page, pagina, seite, seitensumme, seitentotal`);

/** Words for a balance at the beginning or the end of a period, which has the date of that. */
export const BALANCE_WORDS = list(`
  ancien solde, nouveau solde, solde initial, solde final, solde precedent, solde anterieur, solde reporte, solde crediteur,
  solde debiteur, ancien solde crediteur, ancien solde debiteur, nouveau solde crediteur, nouveau solde debiteur, solde au,
  opening balance, closing balance, balance carried forward, balance brought forward, anfangssaldo, endsaldo, schlusssaldo,
  neuer saldo, alter saldo, neuer kontostand, alter kontostand, kontostand, ending balance, beginning balance, current balance,
  available balance, saldovortrag, saldo vom, saldo am, saldo per, saldo inicial, saldo final, saldo anterior, saldo iniziale, saldo finale,
  saldo precedente, saldo al, saldo a, saldo em, beginsaldo, eindsaldo`);

/** All words that may name a row of totals if nothing but a qualifier follows. */
export const TOTAL_WORDS = list(`
  ${SUM_WORDS.join(", ")}, ${BALANCE_WORDS.join(", ")},
  montant total, montant ht, montant ttc, montant net, cumul, cumuls, ensemble general,
  amount total, total amount, suma total, importe total, valor total, somme totali, importo totale,
  rechnungsbetrag, nettobetrag, bruttobetrag, zahlbetrag, eindbedrag, nettobedrag, brutobedrag,
  tva, montant tva, montant de la tva, base ht, base tva, base imposable, net ht, net ttc, hors taxe, hors taxes,
  vat, sales tax, tax, taxes, mwst, mehrwertsteuer, ust, umsatzsteuer, iva, imponibile, base imponible, btw,
  solde, soldes, nouveau solde, ancien solde, balance, closing balance, opening balance, saldo, saldos, saldi, salden,
  endsaldo, anfangssaldo, eindsaldo, beginsaldo, schlusssaldo, saldo final, saldo inicial, saldo finale, saldo iniziale,
  moyenne, moyennes, mediane, minimum, maximum, average, averages, mean, median, durchschnitt, mittelwert, promedio, media,
  medie, gemiddeld, gemiddelde,
  arrete a la somme, arretee a la somme, arrete la presente facture a la somme, arrete au total,
  net a payer, a payer, reste a payer, reste du, solde a payer, montant a payer, montant du, net a regler, solde du,
  amount due, balance due, total due, amount payable, net payable, amount to pay, zu zahlen, zu zahlender betrag,
  neto a pagar, a pagar, importe a pagar, netto a pagare, da pagare, totale a pagare, te betalen, nog te betalen,
  liquido a pagar, valor a pagar,
  ${CARRIED_WORDS.join(", ")}`);

/** Words that name an article, an expense or a place too: alone they are no evidence. */
export const EVERYDAY_WORDS = list(`transport, transporte, report, somme`);

/** Words for a number of rows, if one of {@link COUNTED_WORDS} follows: `Nb lignes`, `Total commandes`. */
export const COUNT_WORDS = list(`nombre, nb, nbre, number, total, totaux, anzahl`);
export const COUNTED_WORDS = list(`
  lignes, enregistrements, commandes, factures, clients, lines, rows, records, orders, invoices, zeilen, datensatze,
  rechnungen`);

/** Words before a tax or a rate: `zzgl. 19 % MwSt.`, `dont TVA 20 %`. */
export const LEADING_WORDS = list(`
  dont, plus, incl, including, excl, inkl, inklusive, zzgl, zuzuglich, davon, darin, enthalten, mas, di cui, waarvan`);

/** Words that qualify a total and are not names. */
export const QUALIFIERS = new Set(
  list(`
  ht, ttc, hors taxe, hors taxes, toutes taxes, tva, vat, mwst, iva, btw, ust, tax, taxes, excl, incl, inkl, exkl, ex, inc,
  comprises, hors, toutes, net, nette, netto, neto, brut, brute, brutto, bruto, gross, general, generale, generaux, geral,
  global, globale, partiel, partielle, cumule, cumulee, final, finale, complessivo, intermediaire, parcial, algemeen,
  initial, initiale, precedent, precedente, anterieur, anterior, previous, nouveau, ancien, reporte, debiteur, crediteur,
  mouvement, mouvements, compte, journal, provisoire, a, payer, pagar, pagare, betalen, zahlen, due, payable, facture, factures, facturee, commande, commandes, vente,
  ventes, order, orders, sale, sales, invoice, invoices, rechnung, rechnungen, pedidos, ordini, fatture, client, clients,
  lignes, ligne, lines, rows, zeilen, mois, page, periode, jour, journee, annee, semaine, exercice, month, day, year, period,
  week, quarter, trimestre, semestre, monat, monats, monate, seite, jahr, jahres, tag, woche, mes, pagina, ano, dia, mese,
  giorno, anno, maand, dag, jaar, du, de, la, le, les, des, of, the, for, pour, per, par, der, del, della, do, da, van, au,
  from, to, vom, von, bis, auf, al, dal, et, and, und, y, e, en, in, im, eur, euro, euros, usd, dollars, gbp, chf, t, q,
  janvier, janv, fevrier, fevr, mars, avril, avr, mai, juin, juillet, juil, aout, septembre, sept, octobre, oct, novembre, nov,
  decembre, dec, january, jan, february, feb, march, mar, april, apr, may, june, jun, july, jul, august, aug, september, sep,
  october, november, december, januar, februar, marz, juni, juli, oktober, okt, dezember, dez, enero, febrero, marzo, abril,
  mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre, gennaio, febbraio, aprile, maggio, giugno, luglio,
  settembre, ottobre, dicembre, januari, februari, maart, mei, augustus, janeiro, fevereiro, marco, maio, junho, julho,
  setembro, outubro, novembro, dezembro`),
);

function list(words: string): string[] {
  return words.split(",").map((word) => word.trim());
}
