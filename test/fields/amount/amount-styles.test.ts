import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AMOUNT, readCell, readOrStop } from "../read-as.ts";
import { draws } from "../../support/draws.ts";

describe("any decimal", () => {
  const decimal = fc.record({
    isNegative: fc.boolean(),
    whole: fc.stringMatching(/^(0|[1-9]\d{0,24})$/),
    fraction: fc.stringMatching(/^\d{0,6}$/),
  });
  const style = fc.record({
    group: fc.constantFrom("", " ", "\u00a0", "\u202f", "\u2009", "'", "’", ".", ","),
    mark: fc.constantFrom<"." | ",">(".", ","),
    currency: fc.constantFrom("", "€", "EUR", "$", "CHF", "kr"),
    place: fc.constantFrom("before", "after"),
    sign: fc.constantFrom("before", "after", "minus", "parentheses"),
    gap: fc.constantFrom("", " ", "\u00a0"),
  });

  it("is read from every style with the mark pinned, and without the pin as the same or not at all", () => {
    fc.assert(
      fc.property(
        decimal,
        style,
        ({ isNegative, whole, fraction }, { group, mark, currency, place, sign, gap }) => {
          fc.pre(group !== mark);
          const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
          let text = fraction === "" ? grouped : grouped + mark + fraction;
          if (isNegative) {
            text = { before: `-${text}`, after: `${text}-`, minus: `−${text}`, parentheses: `(${text})` }[
              sign
            ]!;
          }
          if (currency !== "") text = place === "before" ? currency + gap + text : text + gap + currency;
          const isZero = /^0*$/.test(whole + fraction);
          const expected = `${isNegative && !isZero ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;

          expect(readCell(text, AMOUNT, { decimal: mark })).toBe(expected);
          const other = readCell(text, AMOUNT, { decimal: mark === "," ? "." : "," });
          const alone = readOrStop(text, AMOUNT);
          const isCertain = other === expected || other.startsWith("refused: ");
          expect(alone).toBe(isCertain ? expected : "stopped");
        },
      ),
      draws(600),
    );
  });

  it("is written canonically whatever the cell holds", () => {
    const cell = fc.string({
      unit: fc.constantFrom("0", "1", "7", ".", ",", " ", "'", "-", "(", ")", "€", "EUR", "%", "E"),
    });
    fc.assert(
      fc.property(cell, fc.constantFrom<"." | ",">(".", ","), (text, mark) => {
        const value = readCell(text, AMOUNT, { decimal: mark });
        if (value.startsWith("refused: ")) return;
        expect(value).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
        expect(value).not.toMatch(/^-[0.]+$/);
        const digits = text.replace(/\D/g, "");
        expect(value.replace(/\D/g, "").replace(/^0+/, "")).toBe(digits.replace(/^0+/, ""));
      }),
      draws(600),
    );
  });
});
