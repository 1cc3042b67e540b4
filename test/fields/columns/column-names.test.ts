import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  nameColumn,
  normaliseName,
  plainLetters,
  suggestField,
} from "../../../src/fields/columns/column-faults.ts";
import { isOneEdit } from "../../../src/fields/columns/name-kinds.ts";

it("a name is normalised: case, accents, signs and what cannot be seen say nothing", () => {
  const normal = {
    "Num Commande|NUM-COMMANDE|num_commande": "numcommande",
    "Clé|cle\u0301|\ufeffcle\u200b": "cle",
    "Date\u00a0billed": "datebilled",
    "Cœur & Ægir": "coeuraegir",
    Straße: "strasse",
    "N° facture": "nfacture",
    "Заказ №": "заказno",
    "***": "",
  };
  for (const [names, expected] of Object.entries(normal))
    for (const name of names.split("|")) expect([name, normaliseName(name)]).toEqual([name, expected]);
});

describe("the field that is suggested for a column", () => {
  it.each([
    ["Order No", "order_no"],
    ["Montant HT (€)", "montant_ht"],
    ["  Prénom  ", "prenom"],
    ["2020 total", "_2020_total"],
    ["2020", "column_4"],
    ["***", "column_4"],
    ["Заказ", "column_4"],
  ])("called %j is %j", (header, field) => {
    expect(suggestField(nameColumn(header, 3), new Set())).toBe(field);
  });

  it("has a number where its name is taken", () => {
    expect(suggestField(nameColumn("Order No", 0), new Set(["order_no", "order_no_2"]))).toBe("order_no_3");
  });
});

describe("an ASCII name", () => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  });

  // With an accent behind it, the name goes the way of all other letters.
  it("is read as names with other letters are", () => {
    fc.assert(
      fc.property(ascii, (name) => {
        expect(`${plainLetters(name)}e`).toBe(plainLetters(`${name}\u00e9`));
        expect(`${normaliseName(name)}e`).toBe(normaliseName(`${name}\u00e9`));
      }),
    );
  });
});

/** Every text that one edit makes of this one, of these letters. */
function editsOf(text: string, letters: readonly string[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    if (after !== "") edited.add(before + after.slice(1));
    for (const letter of letters) {
      edited.add(before + letter + after);
      if (after !== "") edited.add(before + letter + after.slice(1));
    }
    if (after.length > 1) edited.add(before + after[1]! + after[0]! + after.slice(2));
  }
  edited.delete(text);
  return edited;
}

describe("isOneEdit", () => {
  it("finds what any one edit makes, and nothing else", () => {
    const letters = ["a", "b", "c"];
    const name = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        const edited = editsOf(left, letters);
        expect(isOneEdit(left, right)).toBe(edited.has(right));
        for (const other of edited) expect(isOneEdit(left, other)).toBe(true);
      }),
    );
  });
});
