import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmountSum, parseDecimal, scaleUnits } from "../../../src/fields/amount/amount-sum.ts";
import { COMMA, DOT, scanAmount, type ScannedAmount } from "../../../src/fields/amount/amount.ts";

function sumOf(texts: readonly string[]): AmountSum {
  const sum = new AmountSum();
  for (const text of texts) sum.add(scanAmount(text) as ScannedAmount);
  return sum;
}

describe("AmountSum", () => {
  it("keeps every digit, beyond what a float holds", () => {
    const { units, decimals } = sumOf(["0.1", "0.2", "99999999999999999999.99", "-0.29"]).total(DOT)!;
    expect([units, decimals]).toEqual([10_000_000_000_000_000_000_000n, 2]);
  });

  it("reads an open mark as it is settled in the end", () => {
    const sum = sumOf(["1,234", "1,5", "10"]);
    expect(sum.total(COMMA)).toEqual({ units: 12_734n, decimals: 3 });
    const points = sumOf(["1.234", "10"]);
    expect(points.total(DOT)).toEqual({ units: 11_234n, decimals: 3 });
    expect(scaleUnits(points.total(COMMA)!, 3)).toBe(1_244_000n);
  });

  it("is exact for any amounts", () => {
    const amount = fc
      .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 2 }))
      .map(([units, decimals]) => {
        const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
        const whole = digits.slice(0, digits.length - decimals);
        const rest = decimals === 0 ? "" : `.${digits.slice(-decimals)}`;
        return `${units < 0n ? "-" : ""}${whole}${rest}`;
      });
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const expected = amounts
          .map((text) => scaleUnits(parseDecimal(text), 2))
          .reduce((sum, units) => sum + units, 0n);
        expect(scaleUnits(sumOf(amounts).total(DOT)!, 2)).toBe(expected);
      }),
    );
  });
});
