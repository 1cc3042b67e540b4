import { describe, expect, it } from "vitest";
import { findCurrency } from "../../../src/fields/amount/amount.ts";

describe("findCurrency", () => {
  it("knows every code that this Node's CLDR has in use", () => {
    const codes = Intl.supportedValuesOf("currency");
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => findCurrency(code) !== code)).toEqual([]);
  });

  it.each([
    ["€", "EUR"],
    ["euros", "EUR"],
    ["£", "GBP"],
    ["US$", "USD"],
    ["Fr", "CHF"],
    ["$", "$"],
    ["¥", "¥"],
    ["kr", "kr"],
  ])("takes %s for %s", (token, currency) => {
    expect(findCurrency(token)).toBe(currency);
  });

  it.each(["usd", "XXX", "all", "", "E", "toString"])("does not know %j", (token) => {
    expect(findCurrency(token)).toBeUndefined();
  });
});
