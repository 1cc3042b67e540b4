import { MONTH_NAMES, monthOf } from "../date/calendar.ts";
import { isAsciiLetter } from "../plain-texts.ts";

/** The naming of a row by a text: none, the name of a total within it, or nothing but that name. */
export type Naming = "none" | "name" | "phrase";

/** Words that name a total or a balance: French, English, German, then Italian, Spanish, Portuguese and Dutch. */
const HEADS = words(`
  total totaux totale soustotal solde soldes somme cumul cumule report reporter nouveau recap recapitulatif ensemble
  encours restant reste resultat marge ecart arrondi moyenne tva ttc nombre nb tot
  totals subtotal subtotals balance sum count average durchschnitt mittelwert gemiddelde vat overall
  gesamt gesamtsumme gesamtbetrag summe endsumme endbetrag endstand endsaldo anfangssaldo schlusssaldo zwischensumme
  kontostand kontosaldo saldo steuerbetrag mwst ust ubertrag anzahl
  totali totales saldi somma suma soma media promedio riporto iva btw totaal totaalbedrag eindtotaal subtotaal subtotale eindsaldo beginsaldo`);

/** Words that may stand beside such a word without a meaning of their own. */
const MODIFIERS = words(`
  general generale generaux generales geral grand gesamte page pages journal compte comptes client clients clientes cliente
  fournisseur facture factures facturee facturas fatture fattura factura commande commandes pedido vente ventes achats
  mouvement mouvements movimientos operation operations ecriture ecritures ligne lignes enregistrements article articles
  periode mois annee annuel annuelle exercice semaine jour trimestre ca chiffre affaires
  final finale initial initiale iniziale ancien ancienne nouvelle debut fin cloture ouverture precedent progressif
  progressivo comptable disponible debit credit debits credits crediteur debiteur net nets brut brute ht hors taxe taxes
  du dus dues payer paye regle regler remise remises montant montants dont soit
  invoice invoices order orders sales rows row line lines records period year week day quarter opening closing beginning
  ending current available running brought carried forward start end gross tax amount amounts due including incl
  neu neuer alter alt alte soll haben netto nett brutto betrag rechnung rechnungen zzgl
  anterior inicial contable contabile importe documento over te dragen nog betalen excl inclusief exclusief
  a au aux de des d la le les l en et y e il i el los the of to for at on per und der die das am vom zum bis par un une
  sur s no n o t eur euro euros usd gbp chf cad`);

/** Several words that name a total together, though none of them does. */
const PHRASES = [
  " net a payer ",
  " a reporter ",
  " a nouveau ",
  " amount due ",
  " order amount ",
  " carried forward ",
  " brought forward ",
  " sales tax ",
  " over te dragen ",
  " nog te betalen ",
];

/** Words that make a total of a name beside them: `Sous-total Lyon`, `Dupont Total`. Others begin too many names. */
const NAMING = new Set(
  [...HEADS].filter((word) =>
    /^(?:total|totaux|totaal|subtot|soustot|solde|gesamt|zwischen|summe)/.test(word),
  ),
);

/** Longer texts are prose. */
const MOST_LETTERS = 60;
const TOKEN = /[^\W\d_]+|\d+|[€$£%&@]/gu;
const ASCII = 0x80;

/** Whether a text is nothing but the name of a total (its words, numbers, dates, rates), or begins or ends with its word. */
export function nameOf(text: string): Naming {
  const tokens = tokensOf(text);
  const named = tokens.filter((token) => /^\p{L}/u.test(token));
  const isName = NAMING.has(named[0] ?? "") || NAMING.has(named.at(-1) ?? "") ? "name" : "none";
  const others = named.filter((token) => monthOf(token) === undefined);
  if (/[&@]/.test(tokens.join("")) || !others.every((token) => HEADS.has(token) || MODIFIERS.has(token)))
    return isName;
  const joined = ` ${others.join(" ")} `;
  const isPhrase =
    others.some((token) => HEADS.has(token)) || PHRASES.some((phrase) => joined.includes(phrase));
  return isPhrase ? "phrase" : isName;
}

/** False if the bytes of its first and its last word already show that a text names no total. */
export function mayName(bytes: Buffer, start: number, end: number): boolean {
  let from = start;
  while (from < end && !isWord(bytes[from]!)) from++;
  let next = from;
  while (next < end && isWord(bytes[next]!)) next++;
  let to = end;
  while (to > next && !isWord(bytes[to - 1]!)) to--;
  let last = to;
  while (last > next && isWord(bytes[last - 1]!)) last--;
  if (from === next) return false;
  // `A reporter`, `T.V.A.`, `S/Total`, and no `A12`.
  if (next - from === 1) return " ./'".includes(String.fromCharCode(bytes[next] ?? 0));
  if (FIRST.mayHold(bytes, from, next) || NAMES.mayHold(bytes, last, to)) return true;
  for (let at = from; at < to; at++) if (bytes[at]! >= ASCII) return true;
  return false;
}

const LETTERS = 32;
const MOST_LENGTH = 31;

/** Words by their first two letters and their lengths: whether a word may be among them, without making it a text. */
class WordTable {
  readonly #places = new Uint8Array(LETTERS * LETTERS * (MOST_LENGTH + 1));

  /** `stems`: beginnings of words of any length. */
  constructor(list: Iterable<string>, stems: readonly string[] = []) {
    for (const word of list) this.#places[this.#placeOf(Buffer.from(word), 0, word.length)] = 1;
    for (const stem of stems)
      for (let length = 2; length <= MOST_LENGTH; length++)
        this.#places[this.#placeOf(Buffer.from(stem), 0, length)] = 1;
  }

  mayHold(bytes: Buffer, start: number, end: number): boolean {
    return end - start > 1 && this.#places[this.#placeOf(bytes, start, end)] === 1;
  }

  #placeOf(bytes: Buffer, start: number, end: number): number {
    const letters = (bytes[start]! % LETTERS) * LETTERS + (bytes[start + 1]! % LETTERS);
    return letters * (MOST_LENGTH + 1) + Math.min(end - start, MOST_LENGTH);
  }
}

const FIRST = new WordTable(
  [...HEADS, ...MODIFIERS, ...MONTH_NAMES.flatMap((names) => names.split(" "))],
  ["sous", "sub", "zwischen"],
);
const NAMES = new WordTable(NAMING);

/** True for letters, of whatever alphabet. */
function isWord(byte: number): boolean {
  return isAsciiLetter(byte) || byte >= ASCII;
}

const SPACED_OUT = /\b(?:\p{L} ){3,}\p{L}\b/gu;

/** The words, numbers and signs of a short text, without accents and capitals; none for prose. */
function tokensOf(text: string): readonly string[] {
  if (text.length > MOST_LETTERS) return [];
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, "")
    .replaceAll(SPACED_OUT, (letters) => letters.replaceAll(" ", ""))
    .replaceAll(/\b(sous|sub|zwischen)[ .-]?(total|totaux|summe|totale|totaal)/g, "$1$2")
    .replaceAll(/\bs\/ ?total/g, "soustotal");
  return plain.match(TOKEN) ?? [];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
