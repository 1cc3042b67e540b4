import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANY_MARK, COMMA, DOT } from "../../../src/fields/amount/plain-amount.ts";
import { DMY, MDY, YMD } from "../../../src/fields/date/short-years.ts";
import { NullWords } from "../../../src/fields/null-words.ts";
import { cellWriter, CLOSER_LOOK, mostAdded } from "../../../src/fields/record/cell-writers.ts";
import { type FieldSpec, takeBy } from "../../../src/fields/record/field-plan.ts";
import { jsonStringBody } from "../../../src/fields/record/record-writer.ts";

const date = (orders: number): FieldSpec => ({
  kind: "date",
  orders,
  isPinned: false,
  pivotYear: 1970,
  format: undefined,
  field: "d",
  timeZone: undefined,
  zone: { kind: "refuse" },
});
const amount = (marks: number, scale?: number): FieldSpec => ({
  kind: "amount",
  marks,
  scale,
  field: "a",
});
const SPECS: Readonly<Record<string, FieldSpec>> = {
  text: { kind: "text" },
  key: { kind: "key" },
  digits: { kind: "digits" },
  dayFirst: date(DMY),
  monthFirst: date(MDY),
  yearFirst: date(YMD),
  anyOrder: date(DMY | MDY | YMD),
  comma: amount(COMMA),
  point: amount(DOT),
  anyMark: amount(ANY_MARK),
  comma2: amount(COMMA, 2),
  point0: amount(DOT, 0),
};

/** The written cells, one after the other, and the cells as read; `undefined` for a cell that is not plain. */
function writeAll(spec: FieldSpec, cells: readonly string[]): (string | undefined)[] {
  const take = takeBy(spec);
  const write = cellWriter(spec, { nulls: new NullWords([]), isChecked: false, take })!;
  return cells.map((cell) => {
    const bytes = Buffer.from(`;${cell};`);
    const most = spec.kind === "text" ? 2 : 1;
    const room = most * (bytes.length - 2) + mostAdded(spec);
    const target = Buffer.alloc(room + 3, "#");
    const end = write(bytes, 1, bytes.length - 1, target, 3);
    if (end === CLOSER_LOOK) return undefined;
    expect(end).toBeLessThanOrEqual(target.length);
    expect(target.toString("utf8", 0, 3)).toBe("###");
    return target.toString("utf8", 3, end);
  });
}

const digits = fc.string({
  unit: fc.constantFrom("0", "0", "1", "2", "3", "5", "9"),
  minLength: 1,
  maxLength: 4,
});
const sign = fc.constantFrom("", "", "-", "+", " ", "0");
const space = fc.constantFrom("", "", " ", "\u00a0", "\u202f", "\u2009", "'", ".", ",");
const number = fc
  .tuple(
    sign,
    digits,
    space,
    digits,
    space,
    digits,
    fc.constantFrom("", ".", ","),
    fc.oneof(digits, fc.constant("")),
  )
  .map((parts) => parts.join(""));
const day = fc
  .tuple(digits, fc.constantFrom("/", ".", "-", " "), digits, fc.constantFrom("/", ".", "-", ""), digits)
  .map((parts) => parts.join(""));
const realDay = fc
  .tuple(
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 13 }),
    fc.constantFrom(999, 1000, 1900, 2024, 9999),
    fc.constantFrom("/", ".", "-"),
    fc.boolean(),
  )
  .map(([first, second, year, sign, isYearLast]) => {
    const [a, b] = [first, second].map((part) => String(part).padStart(2, "0"));
    const y = String(year).padStart(4, "0");
    return (isYearLast ? [a, b, y] : [y, b, a]).join(sign);
  });
const name = fc.string({
  unit: fc.constantFrom(
    "A",
    "K",
    "e",
    "0",
    "1",
    "5",
    "-",
    "'",
    "?",
    "/",
    "#",
    "=",
    "+",
    ".",
    ",",
    '"',
    "\\",
    " ",
    "é",
    "€",
    "😀",
    "\n",
  ),
  minLength: 1,
  maxLength: 12,
});
const word = fc.constantFrom(
  "NULL",
  "n/a",
  "NaN",
  "#REF!",
  "#N/A",
  "-Inf",
  "1E5",
  "5.5E+05",
  "12E34",
  "undefined",
  "NA",
  "<NA>",
  "'00123",
  '="12,50"',
  "12,-",
  "1.250,--",
  "2019.04.19.",
  "14/03/45",
  "1.459",
);
const cell = fc.oneof(number, day, realDay, name, word, fc.string({ minLength: 1 }));

describe("plain cells", () => {
  it.each(Object.entries(SPECS))("are written as the reader gives them: %s", (_, spec) => {
    const take = takeBy(spec);
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
        const valid = cells.filter((text) => text.isWellFormed());
        for (const [at, written] of writeAll(spec, valid).entries()) {
          if (written === undefined) continue;
          const taken = take(valid[at], 1);
          expect(typeof taken === "string" ? jsonStringBody(taken) : taken).toBe(written);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it.each<[string, string, string]>([
    ["text", "Écran 24 pouces", "Écran 24 pouces"],
    ["text", " \u{1f600} ", " \u{1f600} "],
    ["text", 'Écran 24" \\', 'Écran 24\\" \\\\'],
    ["text", "a\r\nb\t\b\f", "a\\r\\nb\\t\\b\\f"],
    ["key", "C0000001", "C0000001"],
    ["key", "551035", "551035"],
    ["digits", "00551035", "00551035"],
    ["dayFirst", "05/07/2016", "2016-07-05"],
    ["dayFirst", "05.07.2016", "2016-07-05"],
    ["dayFirst", "2016-07-05", "2016-07-05"],
    ["monthFirst", "05/07/2016", "2016-05-07"],
    ["comma", "1 437,50", "1437.50"],
    ["comma", "1\u202f437\u202f595,5", "1437595.5"],
    ["comma", "1\u00a0437", "1437"],
    ["comma", "-0012,30", "-12.30"],
    ["comma", "1,437", "1.437"],
    ["point", "1437.50", "1437.50"],
    ["anyMark", "1437", "1437"],
    ["comma2", "12", "12.00"],
    ["comma2", "12,5", "12.50"],
    ["point0", "000", "0"],
  ])("are most that stand in exports: %s %s", (spec, text, written) => {
    expect(writeAll(SPECS[spec]!, [text, text])).toEqual([written, written]);
  });

  it.each<[string, readonly string[]]>([
    ["text", ["a\u0000b", "a\u001fb"]],
    ["key", ["NULL", "-", "?", "'00123", "5E+05", "5.5E3", "=1", "#1", "a b", "é1"]],
    ["digits", ["1 437", "1.0", "'1"]],
    ["dayFirst", ["31/02/2024", "5/7/2016", "05/07-2016", "1 mai 2024"]],
    ["comma", ["1.437", "1 43", "0 437", "1 437 €", ",5", "5,", "-0,00", "(5)", "1'437"]],
    ["anyMark", ["1,5", "1.437"]],
    ["comma2", ["1,505", "1,000"]],
  ])("are no others: %s", (spec, texts) => {
    expect(writeAll(SPECS[spec]!, texts)).toEqual(texts.map(() => undefined));
  });

  it("are none that begin as a word for no value does", () => {
    const take = takeBy(SPECS["text"]!);
    const nulls = new NullWords(["néant"], new NullWords(["-"]));
    const write = cellWriter({ kind: "text" }, { nulls, isChecked: false, take })!;
    const target = Buffer.alloc(20);
    const ends = ["-", "néant", "nuit", "a-"].map((cell) =>
      write(Buffer.from(cell), 0, Buffer.byteLength(cell), target, 0),
    );
    expect(ends).toEqual([CLOSER_LOOK, CLOSER_LOOK, CLOSER_LOOK, 2]);
  });

  it("are none where the values of the field are declared", () => {
    const take = takeBy(SPECS["text"]!);
    expect(cellWriter({ kind: "text" }, { nulls: new NullWords([]), isChecked: true, take })).toBeUndefined();
  });
});
