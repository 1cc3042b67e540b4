import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LookWatch } from "../../../src/fields/survey/look-watch.ts";
import { JsonNumber } from "../../../src/model/problem-groups.ts";

const digits = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789".split("")), minLength: 1, maxLength: most });
const space = fc.constantFrom(" ", "\u00a0", "\u202f", "\u2009", "", ".", "'");
const amount = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.array(digits(3), { minLength: 1, maxLength: 3 }),
    space,
    fc.constantFrom("", ",", "."),
    fc.constantFrom("0", "00", "000", "5", "50", "125", ""),
    fc.constantFrom("", "", " €", " EUR"),
  )
  .map(
    ([sign, groups, between, mark, decimals, unit]) =>
      `${sign}${groups.join(between)}${mark}${decimals}${unit}`,
  );
const pair = fc.constantFrom("01", "02", "05", "12", "13", "28", "31", "45");
const numericDate = fc
  .tuple(
    pair,
    pair,
    fc.constantFrom("2016", "2024", "16", "1899"),
    fc.constantFrom("/", "-", ".", ""),
    fc.boolean(),
  )
  .map(([a, b, year, mark, isYearFirst]) => (isYearFirst ? [year, a, b] : [a, b, year]).join(mark));
const word = fc.constantFrom(
  ..."CMD F Société été Été l'été Émile le Le am il mardi Mardi dimanche juillet Juillet JUL mai mar segunda".split(
    " ",
  ),
  ..."segunda-feira EUR Eur USD Fr CHF kr null NULL nan NaT undefined n° N× œuvre Ängström the the5 à €".split(
    " ",
  ),
);
const between = fc.constantFrom(" ", "-", "", "_", ", ", ".", "  ", "$", "\u00a0", "°");
const worded = fc
  .array(fc.oneof(word, digits(4), pair, fc.constant("2016"), numericDate, amount), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((parts) => fc.tuple(fc.constant(parts), fc.array(between, { minLength: 4, maxLength: 4 })))
  .map(([parts, signs]) =>
    parts.map((part, at) => part + (at < parts.length - 1 ? signs[at]! : "")).join(""),
  );
const priced = fc
  .tuple(
    fc.constantFrom("EUR", "Eur", "US$", "US", "kr", "Fr", "zł", "Kč", "CHF", "A$", "été"),
    between,
    amount,
  )
  .map((parts) => parts.join(""));
const clocked = fc
  .tuple(numericDate, fc.constantFrom(" ", "T", "  "), fc.constantFrom("00", "08", "23", "24"), pair, pair)
  .map(([day, letter, ...clock]) => `${day}${letter}${clock.join(":")}`);
const dated = fc.constantFrom(
  "mardi 5 juillet 2016",
  "5 juillet 2016",
  "July 5th, 2016",
  "le 5 mai 2016",
  "26/03/2024 10:15",
  "26/03/2024 00:00:00",
  "2016-07-05T10:00:00Z",
  "20160705",
  "12 rue de la Paix",
  "x".repeat(70),
  " ",
  "\u00a0",
  '="551035"',
  "'00123",
);
const cell = fc.oneof(
  amount,
  amount,
  numericDate,
  numericDate,
  worded,
  worded,
  priced,
  dated,
  clocked,
  digits(9),
);

function looksOf(
  texts: readonly string[],
  isByBytes: boolean,
): { readonly seen: unknown; readonly taken: number } {
  const watch = new LookWatch();
  let taken = 0;
  for (const text of texts) {
    const bytes = Buffer.from(`;${text};`);
    if (isByBytes && watch.addBytes(bytes, 1, bytes.length - 1)) taken += 1;
    else watch.add(text);
  }
  const { fits, ...seen } = watch.look(texts.length);
  return { seen: { ...seen, fits: [...fits].sort(), isFilled: watch.isFilled }, taken };
}

describe("what the values of a column look like", () => {
  it("is the same whether they are taken from their bytes or from their text", () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(5), { maxLength: 30 }),
        (different, order) => {
          // Most come again: the first ones are samples.
          const texts = [...different, ...order.map((at) => different[at % different.length]!)];
          const byBytes = looksOf(texts, true);
          expect(byBytes.seen).toEqual(looksOf(texts, false).seen);
          taken += byBytes.taken;
        },
      ),
      { numRuns: 3000 },
    );
    expect(taken).toBeGreaterThan(2000);
  });

  it.each([
    ["names", ["Société Générale", "Nîmes", "Émile", "payée", "en attente"]],
    ["references", ["CMD-000001", "CMD-000002", "CMD-000003", "CMD-000004"]],
    ["dates", ["26/03/2024", "27/03/2024", "28/03/2024", "26/03/2024", "28/03/2024"]],
    ["moments", ["2024-03-26T08:30:00", "2024-03-26T09:15:59", "2024-03-26 10:00:00", "2024-03-26T23:59:59"]],
    ["amounts", ["1 234,50", "12,5", "100,00", "-3,20", "1 000,00"]],
    ["numbers", ["551035", "7", "12.5", "-4", "595.00"]],
    ["few different texts", ["payée", "annulée"]],
  ])("is taken from the bytes of ordinary %s once there are samples", (_, texts) => {
    const watch = new LookWatch();
    for (const text of texts) watch.add(text);
    for (const text of texts) {
      const bytes = Buffer.from(text);
      expect([text, watch.addBytes(bytes, 0, bytes.length)]).toEqual([text, true]);
    }
    expect(watch.look(2 * texts.length).filled).toBe(2 * texts.length);
  });

  it("is the same for numbers of JSON", () => {
    const number = fc.constantFrom(
      "0",
      "7",
      "551035",
      "12.50",
      "-3",
      "1e3",
      "20160705",
      "12.00",
      "9".repeat(30),
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(number, { maxLength: 20 }), (numbers) => {
        const [byBytes, byCell] = [0, 1].map(() => new LookWatch()) as [LookWatch, LookWatch];
        for (const source of numbers) {
          const bytes = Buffer.from(`:${source},`);
          if (byBytes.addNumber(bytes, 1, bytes.length - 1)) taken += 1;
          else byBytes.add(new JsonNumber(source));
          byCell.add(new JsonNumber(source));
        }
        expect(byBytes.look(numbers.length)).toEqual(byCell.look(numbers.length));
      }),
    );
    expect(taken).toBeGreaterThan(50);
  });
});
