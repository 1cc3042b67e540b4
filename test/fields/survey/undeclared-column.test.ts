import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UndeclaredColumn } from "../../../src/fields/survey/undeclared-column.ts";
import { type CellSpans, JsonNumber, NO_TEXT } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";

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
  ...parted`
  CMD|F|Société|été|Été|l'été|Émile|le|Le|am|il|mardi|Mardi|dimanche|juillet|Juillet|JUL|mai|mar|segunda
  segunda-feira|EUR|Eur|USD|US|Fr|CHF|kr|null|NULL|nan|NaT|undefined|n°|N×|œuvre|Ängström|the|the5|à|€
`,
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
  ...parted`mardi 5 juillet 2016|5 juillet 2016|July 5th, 2016|le 5 mai 2016|12 rue de la Paix| |\u00a0`,
  ...parted`26/03/2024 10:15|26/03/2024 00:00:00|2016-07-05T10:00:00Z|20160705|="551035"|'00123`,
  "x".repeat(70),
);
const kinds = [amount, amount, numericDate, numericDate, worded, worded, priced, dated, clocked, digits(9)];
const cell = fc.oneof(...kinds);

/** The cells of one column; `mark`: that of each. */
function spansOf(texts: readonly string[], mark: number): CellSpans {
  const cells = texts.map((text) => Buffer.from(`;${text};`));
  const starts = cells.map((_, at) => cells.slice(0, at).reduce((sum, { length }) => sum + length, 1));
  return {
    bytes: Buffer.concat(cells),
    areRowsAdjacent: true,
    starts: Int32Array.from(starts),
    ends: Int32Array.from(starts, (start, at) => start + cells[at]!.length - 2),
    marks: new Uint8Array(cells.length).fill(mark),
    text: (cell) => texts[cell]!,
    value: (cell) => (mark === NO_TEXT ? new JsonNumber(texts[cell]!) : texts[cell]!),
  };
}

/** Adds the cells that are like others, if they may be, and says how many there were. */
function addAll(watch: UndeclaredColumn, spans: CellSpans, areLearnt = true): number {
  let alike = 0;
  for (const cell of spans.starts.keys()) {
    if (areLearnt && watch.addAlike(spans, cell)) alike += 1;
    else if (areLearnt) watch.addSpan(spans, cell);
    else watch.add(spans.value(cell));
  }
  return alike;
}

function looksOf(watch: UndeclaredColumn, rows: number): unknown {
  const { fits, ...seen } = watch.look(rows);
  return { ...seen, fits: [...fits].sort() };
}

describe("what the values of a column look like", () => {
  const numbers = parted`0|7|551035|12.50|-3|1e3|20160705|20169999|12.00`;
  const number = fc.constantFrom(...numbers, "9".repeat(30));

  it.each([
    ["texts", cell, 0],
    ["numbers of JSON", number, NO_TEXT],
  ] as const)(
    "is the same whether %s are added as others of their shape or by themselves",
    (_, cells, mark) => {
      let alike = 0;
      fc.assert(
        fc.property(
          fc.array(cells, { minLength: 1, maxLength: 8 }),
          fc.array(fc.nat(8), { maxLength: 80, size: "max" }),
          fc.constantFrom("", "date", "montant", "numero"),
          (different, order, name) => {
            // Most come again: the first eight are each looked at.
            const texts = [...different, ...order.map((at) => different[at % different.length]!)];
            const spans = spansOf(texts, mark);
            const [learning, plain] = [new UndeclaredColumn(name), new UndeclaredColumn(name)];
            alike += addAll(learning, spans);
            addAll(plain, spans, false);
            expect(looksOf(learning, texts.length)).toEqual(looksOf(plain, texts.length));
          },
        ),
        draws(600),
      );
      expect(alike).toBeGreaterThan(600);
    },
  );
});

it.each([
  ["Date facture", "mardi 5 juillet 2016"],
  ["Date facture", "le 5 juillet 2016"],
  ["Montant", "12,-"],
  ["Montant", "1.250,–"],
])("asks under the name %j about %j", (name, text) => {
  const watch = new UndeclaredColumn(name);
  watch.add(text);
  expect(watch.look(1)).toMatchObject({ kind: "text", doubt: { types: ["text"] } });
});
