import { isBlank } from "../spreadsheet-text.ts";

/**
 * Words for a sum that may be followed by a name (`Total Dupont`): French, English, German, Spanish, Italian, Dutch,
 * Portuguese.
 */
const SUM_WORDS = list(`
  total, totaux, sous total, sous totaux, grand total, totals, sub total, subtotal, subtotals,
  summe, summen, gesamt, gesamtsumme, gesamtbetrag, zwischensumme, zwischensummen, zwischentotal, seitensumme, seitentotal,
  endsumme, endbetrag,
  insgesamt, nettosumme, bruttosumme, totalbetrag, totales, subtotales, totale, totali, totalen, sub totale, subtotale,
  subtotali, totaal, subtotaal, eindtotaal, totaalbedrag, totais, subtotais, sub totais,
  somme, sommes, sum, sums, suma, sumas, somma, som, soma, somas`);

/** Words for a sum that may stand behind a name, as the subtotals of a spreadsheet have them (`Dupont Total`). */
const BACK_WORDS = list(`
  total, totals, subtotal, subtotals, totaux, totale, totaal, gesamt, summe, ergebnis, suma, somme, sum, totalt`);

/** Words for other figures of a group that a spreadsheet puts into a row of its own (`Nombre Dupont`, `Dupont Count`). */
const FIGURE_WORDS = list(`
  nombre, nb, moyenne, minimum, maximum, produit, mediane, variance`);
const BACK_FIGURE_WORDS = list(`count, average, product, anzahl, mittelwert, median`);
/** Words for a figure that are names of people too, if another word is with them: `Max Weber`. */
const LONE_FIGURE_WORDS = list(`min, max`);

/** Words for part of a sum: whatever follows them is the group. */
const SUBTOTAL_WORDS = list(`
  sous total, sous totaux, sub total, subtotal, subtotals, zwischensumme, zwischensummen, zwischentotal, subtotales,
  sub totale, subtotale, subtotali, subtotaal, subtotais, sub totais`);

/** Words for a sum that is carried from page to page, or from year to year. */
const CARRIED_WORDS = list(`
  report, report a nouveau, a reporter, a nouveau, report page precedente, carried forward, carried over, brought forward,
  balance carried forward, balance brought forward, ubertrag, vortrag, saldovortrag, suma y sigue, suma anterior,
  a transportar, transporte, transport, da riportare, riporto, a riportare, over te dragen, overdracht`);
/** Words that make any total the sum of a page: `Total page 2`. */
const PAGE_WORDS = list(`page, pagina, seite, seitensumme, seitentotal`);

/** Words for a balance at the beginning or the end of a period, which has the date of that. */
const BALANCE_WORDS = list(`
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
const EVERYDAY_WORDS = list(`transport, transporte, report, somme`);

/** Words for a number of rows, if one of {@link COUNTED_WORDS} follows: `Nb lignes`, `Total commandes`. */
const COUNT_WORDS = list(`nombre, nb, nbre, number, total, totaux, anzahl`);
const COUNTED_WORDS = list(`
  lignes, enregistrements, commandes, factures, clients, lines, rows, records, orders, invoices, zeilen, datensatze,
  rechnungen`);

/** Words before a tax or a rate: `zzgl. 19 % MwSt.`, `dont TVA 20 %`. */
const LEADING_WORDS = list(`
  dont, plus, incl, including, excl, inkl, inklusive, zzgl, zuzuglich, davon, darin, enthalten, mas, di cui, waarvan`);

/** Words that qualify a total and are not names. */
const QUALIFIERS = new Set(
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

/** Longer cells are prose. */
const MOST_CHARACTERS = 60;
const LETTERS = 26;

const TOTALS = new Set(TOTAL_WORDS);
const SUMS = new Set(SUM_WORDS);
const FIGURES = new Set(FIGURE_WORDS);
const LONE_FIGURES = new Set(LONE_FIGURE_WORDS);
const BACKS = new Set(BACK_WORDS);
const BACK_FIGURES = new Set(BACK_FIGURE_WORDS);
const SUBTOTALS = new Set(SUBTOTAL_WORDS);
const COUNTS = new Set(COUNT_WORDS);
const COUNTED = new Set(COUNTED_WORDS);
const EVERYDAY = new Set(EVERYDAY_WORDS);
const LEADING = new Set(LEADING_WORDS);
const BALANCES = new Set(BALANCE_WORDS);
const CARRIED = new Set(CARRIED_WORDS);
const PAGES = new Set(PAGE_WORDS);
const MOST_WORDS = Math.max(...TOTAL_WORDS.map((word) => word.split(" ").length));

/** A word including its dots (`T.V.A.`), a number including its date or decimals, or one other character. */
const TOKEN = /\p{L}+(?:\.\p{L})*\.?|\d+(?:[.,/-]\d+)*|\S/gu;
const SIGN = /^[-*=:()/&.,>%€$£]$/;

/** By the first two letters: 1 if a word for a total begins with these. */
const BEGINNINGS = new Uint8Array(LETTERS * LETTERS);
for (const word of [
  ...TOTAL_WORDS,
  ...LEADING_WORDS,
  ...FIGURE_WORDS,
  ...LONE_FIGURE_WORDS,
  ...COUNT_WORDS,
]) {
  // `À payer`, whose first letter is a word of its own, begins with a non-ASCII letter.
  const second = word.charCodeAt(1) === 0x20 ? word.charCodeAt(2) : word.charCodeAt(1);
  BEGINNINGS[(word.charCodeAt(0) - 0x61) * LETTERS + second - 0x61] = 1;
}

/** True if a cell is nothing but a total's phrase: the word, and at most a tax, a rate, a period or a currency. */
export function isTotalPhrase(text: string): boolean {
  const tokens = withoutLeadingWords(tokensOf(text));
  const count = countWords(tokens, TOTALS);
  // The county of Somme has this number.
  if (count === 0 || tokens.join(" ") === "somme ( 80 )") return false;
  return countWords(tokens, SUBTOTALS) > 0 || tokens.slice(count).every(isQualifier);
}

/** True if the word of a total's phrase may just as well be that of a row: `Transport HT`, not `Report à nouveau`. */
export function isEverydayPhrase(text: string): boolean {
  const tokens = tokensOf(text);
  return countWords(tokens, EVERYDAY) === 1 && countWords(tokens, TOTALS) === 1;
}

/** True if a cell names a balance, which may stand among rows with a date of its own: `Ancien solde au 30/06/2016`. */
export function isBalancePhrase(text: string): boolean {
  return countWords(tokensOf(text), BALANCES) > 0 && isTotalPhrase(text);
}

/** True if a cell begins with a word for a sum and continues (`Total Dupont`, `Total SA`), or ends so: `Dupont Total`. */
export function namesSum(text: string): boolean {
  const tokens = tokensOf(text);
  return countWords(tokens, SUMS) > 0 || BACKS.has(lastWord(tokens));
}

/** The same for another figure of a group: `Nombre Dupont`, `Dupont Count`. */
export function namesFigure(text: string): boolean {
  const tokens = tokensOf(text);
  if (LONE_FIGURES.has(tokens[0] ?? "")) return tokens.slice(1).every((token) => SIGN.test(token));
  return countWords(tokens, FIGURES) > 0 || BACK_FIGURES.has(lastWord(tokens));
}

/** True if a cell names a sum that goes on on another page: `A reporter`, `Total page 2`. */
export function isCarriedPhrase(text: string): boolean {
  const tokens = tokensOf(text);
  return countWords(tokens, CARRIED) > 0 || tokens.some((token) => PAGES.has(token));
}

/** True if a cell names a number of rows: `Nb lignes`, `Nombre d'enregistrements`, `Total commandes :`. */
export function isCountPhrase(text: string): boolean {
  const tokens = tokensOf(text.replace(/\bd['’]/iu, "de "));
  const rest = tokens.slice(countWords(tokens, COUNTS));
  const isCounted = rest.length < tokens.length && rest.some((token) => COUNTED.has(token));
  return isCounted && rest.every((token) => COUNTED.has(token) || QUALIFIERS.has(token) || SIGN.test(token));
}

/** False if no phrase begins with these two UTF-16 units or UTF-8 bytes: that rules out nearly all cells. */
export function mayBePhrase(first: number, second: number): boolean {
  const letter = (first | 0x20) - 0x61;
  // Spaces, signs such as `*`, and letters with accents need a closer look.
  if (letter < 0 || letter >= LETTERS) return first < 0x30 || first >= 0x80 || (first > 0x39 && first < 0x41);
  const next = (second | 0x20) - 0x61;
  if (next < 0 || next >= LETTERS) return !(second >= 0x30 && second <= 0x39);
  return BEGINNINGS[letter * LETTERS + next] === 1;
}

/** The words that may stand behind a name, by their last letter. */
const BACK_ENDS = new Map<number, Buffer[]>();
for (const word of [...BACK_WORDS, ...BACK_FIGURE_WORDS]) {
  const last = word.charCodeAt(word.length - 1);
  BACK_ENDS.set(last, [...(BACK_ENDS.get(last) ?? []), Buffer.from(word)]);
}

/** False if a cell does not end with such a word: that rules out nearly all cells. The bytes are its text in UTF-8. */
export function mayEndAsTotal(bytes: Buffer, start: number, end: number): boolean {
  let to = end;
  // `Dupont Total :`
  while (to > start && bytes[to - 1]! < 0x41) to--;
  const words = BACK_ENDS.get(bytes[to - 1]! | 0x20);
  return words !== undefined && words.some((word) => endsWithWord(bytes, start, to, word));
}

function endsWithWord(bytes: Buffer, start: number, end: number, word: Buffer): boolean {
  const from = end - word.length;
  if (from < start) return false;
  for (let at = 0; at < word.length; at++) if ((bytes[from + at]! | 0x20) !== word[at]) return false;
  return true;
}

/** The last of several words. */
function lastWord(tokens: readonly string[]): string {
  const words = tokens.filter((token) => !SIGN.test(token));
  return words.length > 1 ? words.at(-1)! : "";
}

/** The tokens of a short cell, without accents; none for prose and blanks. */
function tokensOf(text: string): readonly string[] {
  if (text.length > MOST_CHARACTERS || isBlank(text)) return [];
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss");
  const tokens = plain.match(TOKEN) ?? [];
  const words = tokens.map((token) => (/^\p{L}/u.test(token) ? token.replaceAll(".", "") : token));
  const first = words.findIndex((token) => !SIGN.test(token));
  return first === -1 ? [] : words.slice(first);
}

/** The tokens without a rate at the beginning, or without a word such as `zzgl.` and the rate after it. */
function withoutLeadingWords(tokens: readonly string[]): readonly string[] {
  const isRate = /^\d/.test(tokens[0] ?? "") && tokens[1] === "%";
  const count = isRate ? 2 : countWords(tokens, LEADING);
  if (count === 0) return tokens;
  const rest = tokens.slice(count);
  const word = rest.findIndex((token) => /^\p{L}/u.test(token));
  return word === -1 ? tokens : rest.slice(word);
}

/** Number of tokens that the longest word at the beginning takes; a hyphen may join its parts. */
function countWords(tokens: readonly string[], words: ReadonlySet<string>): number {
  let name = "";
  let found = 0;
  let parts = 0;
  for (const [at, token] of tokens.entries()) {
    if (token === "-") continue;
    if (parts === MOST_WORDS) break;
    name = parts === 0 ? token : `${name} ${token}`;
    parts++;
    if (words.has(name)) found = at + 1;
  }
  return found;
}

/** A number is a rate, a year or a date, or counts what the word next to it names. */
function isQualifier(token: string, at: number, tokens: readonly string[]): boolean {
  if (!/^\d/.test(token)) return SIGN.test(token) || QUALIFIERS.has(token);
  if (/^(?:19|20)\d\d$|\d[/-]\d/.test(token) || tokens[at + 1] === "%") return true;
  // A number of rows: `Total (2)`.
  if (tokens[at - 1] === "(" && tokens[at + 1] === ")") return true;
  return [tokens[at - 1], tokens[at + 1]].some((beside) => beside !== undefined && QUALIFIERS.has(beside));
}
