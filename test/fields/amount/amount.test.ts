import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmountEvidence, parseSum, writeSum } from "../../../src/fields/amount/amount-evidence.ts";
import { COMMA, DOT, findCurrency } from "../../../src/fields/amount/amount.ts";
import { JsonNumber, NestedValue } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";
import { AMOUNT, readCell, readOrStop } from "../read-as.ts";

// Of plain numbers with groups, a mark, a sign and a currency, the styles below draw all.
describe("an amount that reads one way only", () => {
  it.each([
    ["marks and groups", "1 437,50=1437.50|1’437’000,5=1437000.5|1.234.567,89=1234567.89|1234,567=1234.567"],
    ["zeros", "0,123=0.123|0.500=0.500|,5=0.5|.500=0.500|007=7|000=0|00.50=0.50"],
    ["signs", "−5=-5|- 5=-5|(5,00)=-5.00|( 5 )=-5|+5=5|5+=5|-0=0|-0,00=0.00"],
    ["signs beside a currency", "-€5.00=-5.00|5,00- €=-5.00|(5 €)=-5"],
    ["currencies", "5 €=5|USD5=5|US$ 5=5|£67.40=67.40|5 kr.=5|Fr. 5=5|12,5 euros=12.5|$.50=0.50"],
    ["spaces around it", "\u00a0 5 \t=5"],
    ["any length", "123456789012345678901234567890,123456789=123456789012345678901234567890.123456789"],
  ])("is read with %s: %s", (_, cells) => {
    for (const [cell = "", amount] of cells.split("|").map((pair) => pair.split("=")))
      expect([cell, readCell(cell, AMOUNT)]).toEqual([cell, amount]);
  });
});

describe("a cell that is no amount", () => {
  it.each([
    ["its digits are not in groups of three, or no digit follows its last mark", "5,|5, -|12,-"],
    [
      "its digits are not in groups of three, or no digit follows its last mark",
      "1 43,50|1,2,3|1,23,456|1234 567|1234,567.89|1.234.56|0 123|1,,234",
    ],
    [
      "its digits are not in groups of three, or no digit follows its last mark",
      "1 234’567|1\u00a0234 567|1 234,567.89|1,234.567.890|1,234.567,89|1,234 567",
    ],
    [
      "it holds more than one number, or signs that do not belong to one",
      "1  437|5-3|2016-07-05|--5|-5-|(-5)|-(5)|5)|5 ()|(5|1/2|'5'|1.250,--",
    ],
    ["it has more than one currency sign", "€5€"],
    ["the dot before its digits may end the currency or begin the decimals", "Fr.5|EUR.50"],
    ["a percentage is not an amount", "5 %"],
    ["a spreadsheet has cut it to an exponent, its last digits are lost", "5.5E+05|1e+5"],
    ["it is an error of a spreadsheet formula", "#REF!|#N/A"],
    ["it is not a number", "NaN|-Infinity"],
    ["it holds no digits", "-|€|N/A|٥|."],
    ["it holds characters that do not belong to an amount", "12,50 ¤|5 apples|5 CR|–5|0x10"],
  ])("is refused because %s: %s", (reason, cells) => {
    for (const cell of cells.split("|"))
      expect([cell, readCell(cell, AMOUNT)]).toEqual([cell, `refused: ${reason}`]);
  });

  it.each([
    [true, "true is not an amount"],
    [new NestedValue("object"), "the object has no value of its own"],
    [new JsonNumber("1e401"), "its exponent is too large"],
  ])("refuses the JSON value %j", (cell, reason) => {
    expect(readCell(cell, AMOUNT)).toBe(`refused: ${reason}`);
  });
});

describe("a JSON number as an amount", () => {
  it.each([
    ["437.50", "437.50"],
    ["1.234", "1.234"],
    ["0.10", "0.10"],
    ["1e2", "100"],
    ["-0.0", "0.0"],
    ["-1.5", "-1.5"],
    ["12345678901234567890.123", "12345678901234567890.123"],
  ])("keeps the digits of %s whatever --decimal says", (source, amount) => {
    expect(readCell(new JsonNumber(source), AMOUNT)).toBe(amount);
    expect(readCell(new JsonNumber(source), AMOUNT, { decimal: "," })).toBe(amount);
  });
});

describe("a pinned decimal mark", () => {
  it.each([
    [",", "1,234", "1.234"],
    [".", "1,234", "1234"],
    [",", "1.234", "1234"],
    [".", "1.234", "1.234"],
    [",", "012,345", "12.345"],
    [".", "012,345", "12345"],
    [",", "437.50", "refused: its decimal mark is the point, that of the column is not"],
    [".", "437,50", "refused: its decimal mark is the comma, that of the column is not"],
  ] as const)("%s reads %s as %s", (decimal, cell, expected) => {
    expect(readCell(cell, AMOUNT, { decimal })).toBe(expected);
  });
});

describe("findCurrency", () => {
  it("knows every code that this Node's CLDR has in use", () => {
    const codes = Intl.supportedValuesOf("currency");
    expect(codes.length).toBeGreaterThan(100);
    expect(codes.filter((code) => findCurrency(code) !== code)).toEqual([]);
  });
});

describe("the sum of a column", () => {
  const sumOf = (texts: readonly string[], mark: number): string => {
    const evidence = new AmountEvidence({ kind: "amount" }, {});
    for (const [at, text] of texts.entries()) {
      evidence.take(text, at + 2);
      evidence.count();
    }
    return writeSum(evidence.recordSum(mark)!);
  };

  it.each([
    ["0.1|0.2|99999999999999999999.99|-0.29", DOT, "100000000000000000000"],
    ["1,234|1,5|10", COMMA, "12.734"],
    ["1.234|10", DOT, "11.234"],
    ["1.234|10", COMMA, "1244"],
    ["-0.50|0.45", DOT, "-0.05"],
  ])("of %s has every digit, under the mark that is settled in the end: %i", (texts, mark, sum) => {
    expect(sumOf(texts.split("|"), mark)).toBe(sum);
  });

  it("is not kept where an amount has more than thirty decimals", () => {
    const evidence = new AmountEvidence({ kind: "amount" }, {});
    evidence.take(`0.${"1".repeat(31)}`, 2);
    evidence.count();
    expect(evidence.recordSum(DOT)).toBeUndefined();
  });

  it("is exact for any amounts", () => {
    const amount = fc.tuple(
      fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }),
      fc.integer({ min: 0, max: 2 }),
    );
    fc.assert(
      fc.property(fc.array(amount), (amounts) => {
        const texts = amounts.map(([units, zeros]) => writeSum(units * 10n ** BigInt(28 + zeros)));
        const expected = amounts.reduce((sum, [units, zeros]) => sum + units * 10n ** BigInt(28 + zeros), 0n);
        expect(sumOf(texts, DOT)).toBe(writeSum(expected));
        expect(parseSum(writeSum(expected))).toBe(expected);
      }),
    );
  });
});

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
