import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CellClasses, classOf, namingOf, NAMINGS, widthOf } from "../../../src/fields/odd/cell-class.ts";
import { nameOf } from "../../../src/fields/odd/total-words.ts";
import { NullWords } from "../../../src/fields/null-words.ts";
import { JsonNumber, NestedValue, NO_TEXT, type SpannedRow } from "../../../src/model/rows.ts";
import { draws } from "../../support/draws.ts";

/** A row of one cell. */
function rowOf(text: string): SpannedRow {
  const bytes = Buffer.from(`;${text};`);
  return {
    line: 2,
    start: 0,
    end: bytes.length,
    cells: [text],
    firstCell: 0,
    width: 1,
    spans: {
      bytes,
      areRowsAdjacent: true,
      starts: Int32Array.of(1),
      ends: Int32Array.of(bytes.length - 1),
      marks: Uint8Array.of(0),
      text: () => text,
      value: () => text,
    },
  };
}

function letterOf(facts: number): string {
  return String.fromCharCode(classOf(facts));
}

describe("the class of a cell", () => {
  it.each([
    [" ", ["", " ", "\u00a0", "NULL", " NULL "]],
    ["t", ["Ecran", "Été", "12 rue Haute", "20 %", "Zone 5", "à 3", "vrai"]],
    ["c", ["FA001", "84029E", "A-12", '="00123"', "20%", "n°5", "5E+05"]],
    ["n", ["12", "00123", "1 250,00 €", "-12.5", "(5)", "12.50-", "$12", "1.250.000", "EUR 5", "1'437.50"]],
    [
      "d",
      [
        "05/07/2016",
        "31/02/2016",
        "2016-01-02T10:11:12Z",
        "23-Sep-11",
        "1er juillet 2016",
        "5.7.16",
        "2016/7/5",
      ],
    ],
    ["r", ["---", "=====", "* * *", "–"]],
  ] as const)("is %j", (expected, texts) => {
    const nulls = new NullWords(["NULL"]);
    for (const text of texts) {
      const classes = new CellClasses();
      const { spans } = rowOf(text);
      expect([text, letterOf(classes.ofCell(text, nulls))]).toEqual([text, expected]);
      expect([text, letterOf(classes.ofSpan(spans, 0, 0, nulls))]).toEqual([text, expected]);
    }
  });

  it("is that of its text for values of JSON", () => {
    const cells = [
      undefined,
      null,
      true,
      new JsonNumber("1.5"),
      new NestedValue("object"),
      new NestedValue("array"),
    ];
    expect(cells.map((cell) => letterOf(new CellClasses().ofCell(cell, undefined))).join("")).toBe("  tnot");
  });

  it("is that of an object or an array of JSON from its bytes too", () => {
    for (const [text, what] of [
      ['{"a":1}', "object"],
      ["[1]", "array"],
    ] as const) {
      const { spans } = rowOf(text);
      const nested = { ...spans, marks: Uint8Array.of(NO_TEXT), value: () => new NestedValue(what) };
      const classes = new CellClasses();
      expect(classes.ofSpan(nested, 0, 0, undefined)).toBe(classes.ofCell(nested.value(), undefined));
    }
  });

  it("is the same from its bytes as from its text", () => {
    const part = fc.constantFrom(
      ..."12 5 05 2016 1250 juillet mai EUR kr A CMD été rue Total solde Page x - / . , ' € % ( ) E + _ ; n° Le null".split(
        " ",
      ),
      " ",
      "\u00a0",
      "\t",
    );
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    const classes = new CellClasses();
    fc.assert(
      fc.property(text, (said) => {
        const { spans } = rowOf(said);
        const [ofBytes, ofText] = [classes.ofSpan(spans, 0, 0, undefined), classes.ofCell(said, undefined)];
        expect([classOf(ofBytes), widthOf(ofBytes)]).toEqual([classOf(ofText), widthOf(ofText)]);
      }),
      draws(600),
    );
  });
  it("comes with what the text says about its row, whatever its digits", () => {
    const word = fc.constantFrom(..."12 7 Total solde Page Lyon Dupont Client au du - : A FA001".split(" "));
    const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
    const classes = new CellClasses();
    fc.assert(
      fc.property(text, (said) => {
        const { spans } = rowOf(said);
        const facts = classes.ofSpan(spans, 0, 0, undefined);
        const known = NAMINGS[namingOf(facts)];
        expect(known ?? classes.naming(spans, 0, () => said)).toBe(nameOf(said));
      }),
      draws(600),
    );
  });
});
