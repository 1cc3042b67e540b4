import { describe, expect, it } from "vitest";
import { findCurrency } from "../../../src/fields/amount/amount.ts";

describe("findCurrency", () => {
  it("knows every code that this Node's CLDR has in use", () => {
    const codes = Intl.supportedValuesOf("currency");
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => findCurrency(code) !== code)).toEqual([]);
  });

  it("takes signs and words for their currency, and no other word for any", () => {
    const known = { "€": "EUR", euros: "EUR", "£": "GBP", US$: "USD", Fr: "CHF", $: "$", "¥": "¥", kr: "kr" };
    expect(Object.keys(known).map(findCurrency)).toEqual(Object.values(known));
    expect("usd|XXX|all||E|toString".split("|").map(findCurrency)).toEqual(Array(6).fill(undefined));
  });
});
