import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEdits, isNearMiss } from "../../../src/fields/columns/near-miss.ts";

describe("isNearMiss", () => {
  it.each([
    ["clef", "cle"],
    ["cles", "cle"],
    ["cl", "cle"],
    ["cel", "cle"],
    ["Clés", "cle"],
    ["num_comande", "num_commande"],
    ["numero_commande", "num_commande", false],
    ["no_commande", "num_commande"],
    ["num comandes", "num_commande"],
    ["date_bill", "date_billed"],
    ["date_blled", "date_billed"],
    ["date_close", "date_closed"],
    ["num_invoces", "num_invoice"],
    ["cle", "cle", false],
    ["Clé", "cle", false],
    ["ile", "cle", false],
    ["code", "cle", false],
    ["clause", "cle", false],
    ["date", "date_billed", false],
    ["date_closed", "date_billed", false],
    ["num_invoice", "num_commande", false],
    ["statut", "status"],
    ["tatus", "status"],
    ["statuts_x", "status", false],
    ["montants", "montant"],
    ["montnts_", "montant", false],
    ["***", "cle", false],
  ])("%j for %j: %s", (header, field, expected = true) => {
    expect(isNearMiss(header, field)).toBe(expected);
  });
});

describe("countEdits", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "abxc", 1],
    ["abxc", "abc", 1],
    ["abc", "axc", 1],
    ["abc", "acb", 1],
    ["abcd", "badc", 2],
    ["ab", "abcde", 3],
  ])("%j to %j: %d", (left, right, edits) => {
    expect(countEdits(left, right)).toBe(edits);
  });

  it("is the same both ways, and none only for equal names", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(countEdits(left, right)).toBe(countEdits(right, left));
        expect(countEdits(left, right) === 0).toBe(left === right);
      }),
    );
  });
});
