import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NullWords } from "../../../src/fields/record/examine-row.ts";
import { RowForms } from "../../../src/fields/odd/row-forms.ts";
import { nameOf } from "../../../src/fields/odd/total-words.ts";
import { type Cell, JsonNumber, NestedValue, NO_TEXT, type Row } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";
import { madeRow } from "../../support/made-rows.ts";

/** A row of one cell, as bytes. */
function rowOf(text: string, mark = 0, value: Cell = text): Row {
  const bytes = Buffer.from(`;${text};`);
  return {
    line: 2,
    start: 0,
    end: bytes.length,
    cells: [value],
    firstCell: 0,
    width: 1,
    spans: {
      bytes,
      areRowsAdjacent: true,
      starts: Int32Array.of(1),
      ends: Int32Array.of(bytes.length - 1),
      marks: Uint8Array.of(mark),
      text: () => text,
      value: () => value,
    },
  };
}

/** The same, made of its value. */
function plainRow(value: Cell): Row {
  return madeRow({ line: 2, start: 0, end: 1 }, [value]);
}

function formOf(forms: RowForms, row: Row, nulls?: NullWords) {
  const isRow = forms.look(row, { width: 1, key: undefined, nullsAt: [nulls] });
  const { cells, text } = forms.form;
  return isRow ? { cells, text } : { cells: " ", text: "none" };
}

describe("the form of a row", () => {
  it.each([
    [" ", ["", " ", "\u00a0", "NULL", " NULL "]],
    ["t", parted`Ecran|Été|12 rue Haute|20 %|Zone 5|à 3|vrai`],
    ["c", parted`FA001|84029E|A-12|="00123"|20%|n°5|5E+05`],
    ["n", parted`12|00123|1 250,00 €|-12.5|(5)|12.50-|$12|1.250.000|EUR 5|1'437.50`],
    ["d", parted`05/07/2016|31/02/2016|2016-01-02T10:11:12Z|23-Sep-11|1er juillet 2016|5.7.16|2016/7/5`],
    ["r", ["---", "=====", "* * *", "–"]],
  ] as const)("has %j for a cell", (expected, texts) => {
    const nulls = new NullWords(["NULL"]);
    for (const text of texts)
      for (const row of [rowOf(text), plainRow(text)])
        expect([text, formOf(new RowForms(), row, nulls).cells]).toEqual([text, expected]);
  });

  it("has what a value of JSON is", () => {
    const [object, array] = (["object", "array"] as const).map((what) => new NestedValue(what));
    const cells = [undefined, null, true, new JsonNumber("1.5"), object, array];
    expect(cells.map((cell) => formOf(new RowForms(), plainRow(cell)).cells).join("")).toBe("  tnot");
    expect(formOf(new RowForms(), rowOf('{"a":1}', NO_TEXT, object)).cells).toBe("o");
    expect(formOf(new RowForms(), rowOf("[1]", NO_TEXT, array)).cells).toBe("t");
  });

  it("has from the bytes of a cell what its text is", () => {
    const part = fc.constantFrom(
      ...parted`
      12|5|05|2016|1250|juillet|mai|EUR|kr|A|CMD|été|rue|Total|solde|Page|x|n°|Le|null
      -|/|.|,|'|€|%|(|)|E|+|_|;| |\u00a0|\t|.
    `,
    );
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    const forms = new RowForms();
    fc.assert(
      fc.property(text, (said) => {
        expect(formOf(forms, rowOf(said)).cells).toBe(formOf(new RowForms(), plainRow(said)).cells);
      }),
      draws(600),
    );
  });

  it("says what the text says about the row, whatever its digits", () => {
    const word = fc.constantFrom(..."12 7 Total solde Page Lyon Dupont Client au du - : A FA001".split(" "));
    const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
    const forms = new RowForms();
    fc.assert(
      fc.property(text, (said) => {
        const { cells, text: naming } = formOf(forms, rowOf(said));
        expect(naming).toBe("tc".includes(cells) ? nameOf(said) : "none");
      }),
      draws(600),
    );
  });
});
