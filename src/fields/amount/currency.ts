import { CURRENCY_CODES } from "./currency-table.ts";

// A sign that several currencies share (`$`, `¥`, `kr`) maps to itself: next to a code it is not known whether it is
// the same currency. `£` alone is always the pound sterling.
const SIGNS: Readonly<Record<string, string>> = {
  "€": "EUR",
  eur: "EUR",
  Eur: "EUR",
  euro: "EUR",
  Euro: "EUR",
  euros: "EUR",
  Euros: "EUR",
  "£": "GBP",
  US$: "USD",
  $US: "USD",
  A$: "AUD",
  AU$: "AUD",
  C$: "CAD",
  CA$: "CAD",
  $CA: "CAD",
  NZ$: "NZD",
  HK$: "HKD",
  S$: "SGD",
  MX$: "MXN",
  R$: "BRL",
  NT$: "TWD",
  "CN¥": "CNY",
  "JP¥": "JPY",
  Fr: "CHF",
  SFr: "CHF",
  sFr: "CHF",
  zł: "PLN",
  Kč: "CZK",
  Ft: "HUF",
  "₹": "INR",
  "₺": "TRY",
  "₽": "RUB",
  "₴": "UAH",
  "₪": "ILS",
  "₩": "KRW",
  "₫": "VND",
  "฿": "THB",
  "₱": "PHP",
  "₦": "NGN",
  $: "$",
  "¥": "¥",
  kr: "kr",
  Kr: "kr",
  FCFA: "FCFA",
  CFA: "FCFA",
};

const CURRENCIES = new Map([
  ...CURRENCY_CODES.flatMap((codes) => codes.split(" ")).map((code) => [code, code] as const),
  ...Object.entries(SIGNS),
]);

/**
 * The currency that a sign or an upper-case ISO 4217 code means: its code, or the sign itself if several currencies
 * share it.
 */
export function findCurrency(token: string): string | undefined {
  return CURRENCIES.get(token);
}
