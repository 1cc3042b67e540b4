import { plainLetters } from "./column-faults.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const DATES = words(
  "date dates dat dt datum fecha echeance faellig fallig vencimiento scadenza peremption buchungstag valuta wertstellung created updated modified naissance",
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

/** What the words of a column's name say its values are; of a date, an amount and a number the first that is named. */
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

/** Words of fields and headers by their meaning, in French, English, German, Spanish and Italian. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  number: ["n", "no", "nr", "num", "numero", "number", "nummer", "id"],
  date: ["date", "datum", "fecha", "data", "jour", "day"],
  order: [
    ["commande", "commandes", "order", "orders", "bestellung", "auftrag"],
    ["pedido", "ordine", "cde", "cmd", "bestell"],
  ].flat(),
  invoice: [
    ["facture", "factures", "invoice", "invoices", "rechnung", "factura", "fattura"],
    ["facturation", "billed", "billing", "facturacion", "fatturazione", "fact", "inv"],
  ].flat(),
  closed: [
    ["cloture", "clos", "close", "closed", "closing", "fermeture"],
    ["abschluss", "cierre", "chiusura"],
  ].flat(),
  amount: ["montant", "montants", "amount", "betrag", "importe", "importo"],
};

/** Words that do not change what a header means. */
const FILLERS = new Set("de du des d la le les l of the der die das del della el il lo".split(" "));
/** Words that say what kind of amount it is. */
const KINDS_OF_AMOUNT = new Set(
  "ht ttc net brut gross total actual billable facture facturable netto brutto hors taxes".split(" "),
);
const GERMAN_PARTS = /^(rechnungs?|bestell(?:ungs?)?|auftrags?|abschluss)(datum|nummer|nr|betrag)$/;
const STEMS: Readonly<Record<string, string>> = { rechnung: "invoice", bestell: "order", auftrag: "order" };

const MEANING_OF = new Map(
  Object.entries(MEANINGS).flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)),
);

/** Names that other systems give to the identifier of a record. */
const KEY_NAMES = new Set(
  [
    "id ids key ref reference code cle clef identifiant identifier matricule uuid guid kennung schluessel",
    "schlussel referenz clave referencia codigo chiave riferimento codice compte kundennummer kundennr",
  ].flatMap((words) => words.split(" ")),
);
/** What records are of; not an order, which has a field of its own. */
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

/**
 * The meaning of a header or field, whatever its wording: `N° commande`, `Order ID` and `num_commande` have the same.
 * `undefined` if it has a word that is not listed here.
 */
export function meaningOf(name: string): string | undefined {
  const meanings = new Set<string>();
  const words = wordsOf(name).filter((word) => !FILLERS.has(word));
  const isAmount = words.some((word) => MEANING_OF.get(word) === "amount" || word.endsWith("betrag"));
  for (const word of words) {
    if (isAmount && KINDS_OF_AMOUNT.has(word)) continue;
    const compound = GERMAN_PARTS.exec(word);
    const parts = compound === null ? [word] : [stemOf(compound[1]!), compound[2]!];
    for (const part of parts) {
      const meaning = MEANING_OF.get(part);
      if (meaning === undefined) return undefined;
      meanings.add(meaning);
    }
  }
  // An amount counts as that of the invoice, and a bare "order" as its number.
  if (meanings.has("amount")) meanings.delete("invoice");
  if (meanings.size > 1) meanings.delete("number");
  return meanings.size === 0 ? undefined : [...meanings].sort().join(" ");
}

/** True for a header that consists only of words for the identifier of a record: `Réf.`, `Code`, `N° client`. */
export function isKeyName(name: string): boolean {
  const words = wordsOf(name).filter((word) => !FILLERS.has(word));
  if (words.length === 1) return KEY_NAMES.has(words[0]!);
  const isOfRecord = words.some((word) => RECORD_WORDS.has(word));
  const others = words.filter((word) => !RECORD_WORDS.has(word));
  return isOfRecord && others.every((word) => KEY_NAMES.has(word) || MEANING_OF.get(word) === "number");
}

function stemOf(part: string): string {
  const stem = Object.keys(STEMS).find((known) => part.startsWith(known));
  return stem === undefined ? "closed" : STEMS[stem]!;
}
