/** The sign of a currency in brackets, with the language it is written in: `[$€-40C]`. */
const IN_BRACKETS = /\[\$([^\]-]+)(?:-[^\]]*)?\]/;
const SIGN = /\p{Sc}/u;
const SIGN_OF: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£" };

/** The currency that a number format shows (ECMA-376 part 1, 18.8.31); `undefined` if it shows none. */
export function formatCurrency(code: string): string | undefined {
  const named = IN_BRACKETS.exec(code)?.[1]?.trim() ?? SIGN.exec(code.replaceAll(/\[[^\]]*\]/g, ""))?.[0];
  return named === undefined || named === "" ? undefined : (SIGN_OF[named] ?? named);
}

/** The currency of each column, by the first of its cells that shows one. */
export class ColumnCurrencies {
  readonly #first = new Map<number, string>();

  /** True for a cell in another currency than those above it. */
  isOther(column: number, currency: string): boolean {
    const first = this.#first.get(column);
    if (first === undefined) this.#first.set(column, currency);
    return first !== undefined && first !== currency;
  }
}
