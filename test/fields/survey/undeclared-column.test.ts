import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UndeclaredColumn } from "../../../src/fields/survey/undeclared-column.ts";
import { type CellSpans, JsonNumber, NO_TEXT } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";

/** Parts of numbers, dates, prices, moments, names and words for "no value", in any order and with any signs between them. */
const part = fc.constantFrom(
  ...parted`
  0|7|12|05|31|45|250|1437|2016|0012|20160705|551035|-|+|,|.|/|:|;| |  |\u00a0|\u202f|'|"|%|=|$|°|T|Z
  CMD|F|Société|été|l'été|le|mardi|juillet|JUL|mai|mar|segunda-feira|n°|the|à|null|NaT|EUR|Eur|US$|Fr|kr|€
`,
);
const joined = fc.array(part, { minLength: 1, maxLength: 7 }).map((parts) => parts.join(""));
const usual = fc.constantFrom(
  ...parted`
  12,50|1 250,00|1.250,00|1250.5|-3|+12.00|12,50 €|EUR 5|CHF 1'250.00|kr5|05/07/2016|31/02/2016|16-07-05|5.7.16
  2016-07-05|20160705|20169999|5 juillet 2016|July 5th, 2016|le 5 mai 2016|26/03/2024 10:15|26/03/2024 00:00:00
  2016-07-05T10:00:00Z|00123|="551035"|'00123|75001|CMD-0012|FA 7|12 rue de la Paix|Nîmes|été|NULL|NaT|null|10 %
`,
  " ",
  "\u00a0",
  "x".repeat(70),
);
const cell = fc.oneof(usual, joined);

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
