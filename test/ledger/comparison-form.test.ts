import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ComparedField,
  ComparisonForm,
  isEmptyHash,
  PRINT_BYTES,
} from "../../src/ledger/comparison-form.ts";

const field = (name: string, more: Partial<ComparedField> = {}): ComparedField => ({
  field: name,
  header: name,
  type: "text",
  number: undefined,
  fallback: undefined,
  ...more,
});
const FIELDS = [
  field("note"),
  field("num_commande", { type: "digits", number: "digits" }),
  field("paid_amount", { type: "amount", number: "amount" }),
  field("pays", { fallback: "FR" }),
];

type Given = Readonly<Record<string, string>>;

function printOf(record: Given, form = new ComparisonForm(FIELDS, [])): string {
  const text = Buffer.from(`,${JSON.stringify(record)}`);
  const prints = Buffer.alloc(form.width);
  form.print(text, 1, text.length - 1, prints, 0);
  return prints.toString("hex");
}

describe("the print of a record", () => {
  it.each<[string, Given, Given]>([
    ["the order of its members", { note: "x", num_commande: "1" }, { num_commande: "1", note: "x" }],
    ["zeros at the end of an amount", { paid_amount: "437.50" }, { paid_amount: "437.5" }],
    ["an amount of zero cents", { paid_amount: "595.00" }, { paid_amount: "595" }],
    ["zero below zero", { paid_amount: "-0.00" }, { paid_amount: "0" }],
    ["zeros before a number", { num_commande: "001001" }, { num_commande: "1001" }],
    ["how often zero is written", { num_commande: "000" }, { num_commande: "0" }],
    ["spaces around a text", { note: " café\t" }, { note: "café" }],
    ["the normal form of letters", { note: "cafe\u0301" }, { note: "café" }],
    ["an empty value", { note: "", num_commande: "1" }, { num_commande: "1" }],
    ["a default", { num_commande: "1", pays: "FR" }, { num_commande: "1" }],
    ["a constant", { num_commande: "1", source: "import" }, { num_commande: "1" }],
  ])("does not depend on %s", (_, one, other) => {
    expect(printOf(one)).toBe(printOf(other));
  });

  it.each<[string, Given, Given]>([
    ["a value", { num_commande: "1" }, { num_commande: "2" }],
    ["the field of a value", { note: "1" }, { num_commande: "1" }],
    ["where one value ends", { note: "ab", num_commande: "1" }, { note: "a", num_commande: "1" }],
    ["zeros of a number that is no amount", { num_commande: "10" }, { num_commande: "1" }],
    ["zeros before a text", { note: "01" }, { note: "1" }],
    ["a zero", { num_commande: "0" }, {}],
    ["zeros before the point", { paid_amount: "100" }, { paid_amount: "1" }],
    ["spaces inside a text", { note: "a b" }, { note: "ab" }],
    ["another value than the default", { pays: "DE" }, { pays: "BE" }],
  ])("depends on %s", (_, one, other) => {
    expect(printOf(one)).not.toBe(printOf(other));
  });

  it("differs where trimmed values do", () => {
    const values = fc.record(
      {
        note: fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
        num_commande: fc.stringMatching(/^\d{1,9}$/),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(values), (records) => {
        const compared = records.map(({ note = "", num_commande = "" }) =>
          JSON.stringify([note.trim().normalize("NFC"), num_commande.replace(/^0+(?=.)/, "")]),
        );
        expect(new Set(records.map((record) => printOf(record))).size).toBe(new Set(compared).size);
      }),
    );
  });

  it("does not change, because prints are compared with those on disk", () => {
    const record = { note: " é ", num_commande: "551035", paid_amount: "437.50", pays: "FR" };
    expect(printOf(record)).toBe("0b056242d9d54e9cc1caf332");
    expect(printOf({ note: "Société à Nîmes, œuvres" })).toBe("f1772ff12f14dcaf759cc773");
    expect(printOf({ num_commande: "1", pays: "BE" })).toBe("d6abea292575d84c0dbd6a9d");
  });

  it("is followed by a hash of each list of fields, of zeros where none of these has a value", () => {
    const hashed = [["num_commande"], ["note", "pays"]];
    const form = new ComparisonForm(FIELDS, hashed);
    const print = (record: Given): readonly string[] =>
      printOf(record, form).match(new RegExp(`.{${2 * PRINT_BYTES}}`, "g")) ?? [];
    const one = print({ num_commande: "1", note: "x" });
    const other = print({ num_commande: "01", note: "y" });
    expect(one).toHaveLength(3);
    expect(one[0]).not.toBe(other[0]);
    expect(one[1]).toBe(other[1]);
    expect(one[2]).not.toBe(other[2]);
    const alone = new ComparisonForm(FIELDS, [["note", "pays"], ["num_commande"]]);
    expect(printOf({ num_commande: "1", note: "x" }, alone)).toBe([one[0], one[2], one[1]].join(""));
    const empty = print({ note: "x", num_commande: "" })[1]!;
    expect(isEmptyHash(Buffer.from(empty, "hex"), 0)).toBe(true);
    expect(isEmptyHash(Buffer.from(one[1]!, "hex"), 0)).toBe(false);
  });

  it("has a shape that columns, types and the map decide, whatever their order", () => {
    const shapeOf = (fields: readonly ComparedField[]): string =>
      new ComparisonForm(fields, []).comparedAs.shape;
    expect(shapeOf([...FIELDS].reverse())).toBe(shapeOf(FIELDS));
    for (const other of [field("note", { header: "Note" }), field("note", { type: "digits" }), field("memo")])
      expect(shapeOf([other, ...FIELDS.slice(1)])).not.toBe(shapeOf(FIELDS));
  });
});
