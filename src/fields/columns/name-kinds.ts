import { plainLetters } from "./column-faults.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const DATES = words(
  "date dates dat dt datum fecha echeance faellig fallig vencimiento vencimento scadenza vervaldatum peremption buchungstag valuta wertstellung created updated modified naissance",
);
const AMOUNTS = words(
  "montant mt amount amt betrag importe importo prix price preis precio prezzo total totale solde balance saldo ht ttc net netto brut brutto tax taxe taxes tva mwst vat iva debit credit soll haben fee fees commission cost cout gross tarif pu umsatz subtotal shipping discount port remise freight profit sales",
);
const NUMBERS = words(
  "n no num numero number nr nummer code compte account acct siret siren ean zip postal postcode plz cp tel telephone phone mobile fax id ref reference matricule iban konto kontonummer",
);
/** Words that other words end with: `Rechnungsdatum`, `Kundennummer`. */
const DATE_ENDS = /(?:date|datum)$/;
const NUMBER_ENDS = /(?:num|nr|number|nummer|code)$/;

/**
 * The kind of values that the words of a column's name announce; of a date, an amount and a number the first that is named.
 */
export type NameKind = "date" | "amount" | "number" | undefined;

/** See {@link NameKind}. `Date paiement`, `paid_at`, `EcritureDate`; `Prix HT`; `N° client`, `CompteNum`. */
export function kindOfName(name: string): NameKind {
  const named = wordsOf(name);
  const last = named.at(-1);
  const isMoment = named.length > 1 && (last === "at" || last === "on");
  if (isMoment || named.some((word) => DATES.has(word) || DATE_ENDS.test(word))) return "date";
  if (named.some((word) => AMOUNTS.has(word))) return "amount";
  return named.some((word) => NUMBERS.has(word) || NUMBER_ENDS.test(word)) ? "number" : undefined;
}

/**
 * The names of the built-in fields in headers: their words, without words that carry no meaning here. None of the key: one that was
 * guessed makes updates of other records, or of one record for all rows.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  num_commande:
    "commande, cde, n commande, no commande, numero commande, n cde, no cde, num cde, n bc, id commande, commande n, commande no, order, order id, order no, order num, order number, bestellnummer, bestellnr, auftragsnummer, n pedido, numero pedido, numero ordine",
  num_invoice:
    "facture, n facture, no facture, numero facture, n fact, num fact, id facture, facture n, facture no, invoice, invoice id, invoice no, invoice num, invoice number, rechnungsnummer, rechnungsnr, n factura, numero factura, numero fattura",
  date_billed:
    "date facture, date facturation, date fact, dt facture, dt fact, invoice date, billing date, billed date, rechnungsdatum, fecha factura, fecha facturacion, data fattura",
  date_closed:
    "date cloture, date clot, dt cloture, dt clot, date fermeture, close date, closed date, closing date, abschlussdatum, fecha cierre, data chiusura",
  actual_billable_amount:
    "montant, montant ht, montant ttc, montant facture, montant ht facture, montant facturable, montant net, montant total, mt ht, total ht, amount, net amount, total amount, invoice amount, billable amount, betrag, nettobetrag, rechnungsbetrag, importe, importe total, importo",
};

const FIELD_CALLED = new Map(
  Object.entries(SYNONYMS).flatMap(([field, names]) =>
    names.split(", ").map((name) => [name, field] as const),
  ),
);

/** Words that do not change what a header means. */
const FILLERS = new Set("de du des d la le les l of the der die das del della el il lo".split(" "));
/** Names that other systems give to the identifier of a record. */
const KEY_NAMES = new Set(
  [
    "id ids key ref reference code cle clef identifiant identifier matricule uuid guid kennung schluessel",
    "schlussel referenz clave referencia codigo chiave riferimento codice compte kundennummer kundennr",
  ].flatMap((words) => words.split(" ")),
);
/** Nouns for records; not an order, which has a field of its own. */
const RECORD_WORDS = new Set(
  "fiche fiches record datensatz ficha registro scheda client customer kunde kunden account external externe".split(
    " ",
  ),
);

/**
 * The words of a name, in lower case and without accents: `N° de commande` and `orderNo` become `n`, `de`, `commande`
 * and `order`, `no`.
 */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[°º]/g, " ");
  return plainLetters(spaced)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** The built-in field that a header means by its words: `N° de commande`, `Order ID`, `Date fact.`, `Mt HT`. */
export function fieldCalled(name: string): string | undefined {
  return FIELD_CALLED.get(tellingWords(name).join(" "));
}

function tellingWords(name: string): string[] {
  return wordsOf(name).filter((word) => !FILLERS.has(word));
}

/** Words for the number of a record. */
const NUMBER_WORDS = new Set("n no nr num numero number nummer id".split(" "));

/**
 * True for a header that consists only of words for the identifier of a record: `Réf.`, `Code`, `N° client`; and for a member
 * `cle` of an object inside the record: `order_cle`.
 */
export function isKeyName(name: string): boolean {
  const words = tellingWords(name);
  if (words.length === 1) return KEY_NAMES.has(words[0]!);
  if (words.at(-1) === "cle") return true;
  const others = words.filter((word) => !RECORD_WORDS.has(word));
  return (
    others.length < words.length && others.every((word) => KEY_NAMES.has(word) || NUMBER_WORDS.has(word))
  );
}

/** Shorter names are one letter from too many others. */
const LEAST = 5;

/** The field that a normalised name is one edit away from; `undefined` if there are several. `fields`: normalised names too. */
export function nearestField(normal: string, fields: ReadonlyMap<string, string>): string | undefined {
  if (normal.length < LEAST) return undefined;
  let near: string | undefined;
  for (const [field, other] of fields) {
    if (other.length < LEAST || !isOneEdit(normal, other)) continue;
    if (near !== undefined) return undefined;
    near = field;
  }
  return near;
}

/** Whether one letter inserted, deleted or changed, or two neighbours swapped, make one name of the other. */
export function isOneEdit(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  const isRest = (from: number, fromRight: number): boolean => left.slice(from) === right.slice(fromRight);
  if (left.length !== right.length)
    return left.length < right.length ? isRest(at, at + 1) : isRest(at + 1, at);
  const isSwap = left[at] === right[at + 1] && left[at + 1] === right[at];
  return isRest(at + 1, at + 1) || (isSwap && isRest(at + 2, at + 2));
}
