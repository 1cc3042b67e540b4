import { describe, expect, it } from "vitest";
import { findCurrency } from "../../src/fields/currency.ts";

describe("findCurrency", () => {
  it("knows every code that this Node's CLDR has in use", () => {
    for (const code of Intl.supportedValuesOf("currency")) expect(findCurrency(code), code).toBe(code);
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
