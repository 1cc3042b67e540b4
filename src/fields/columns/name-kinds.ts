import { wordsOf } from "./field-words.ts";

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
