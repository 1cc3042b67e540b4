import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseName } from "../../../src/fields/columns/column-faults.ts";
import { countEdits, NearMisses } from "../../../src/fields/columns/near-miss.ts";

describe("the near miss of a header", () => {
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
    expect(new NearMisses([field]).nearest(header)).toBe(expected ? field : undefined);
  });

  it.each([
    ["the one with fewer edits", "montant_htx", ["montant_httc", "montant_ht"], "montant_ht"],
    ["the one that is spelt more alike", "montant_htb", ["montantht", "montant_hta"], "montant_hta"],
    ["the first that is declared", "montant_x", ["montant_h", "montant_t"], "montant_h"],
  ])("is of several fields %s", (_, header, fields, field) => {
    expect(new NearMisses(fields).nearest(header)).toBe(field);
  });

  it("is found among many fields as among few", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "_", "É"), minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(name, fc.uniqueArray(name, { maxLength: 30 }), (header, fields) => {
        const alone = fields.filter((field) => new NearMisses([field]).nearest(header) === field);
        const fewest = Math.min(...alone.map((field) => editsOf(header, field)));
        const nearest = new NearMisses(fields).nearest(header);
        expect(nearest === undefined).toBe(alone.length === 0);
        if (nearest === undefined) return;
        expect(alone).toContain(nearest);
        expect(editsOf(header, nearest)).toBe(fewest);
      }),
    );
  });
});

function editsOf(header: string, field: string): number {
  return countEdits(normaliseName(header), normaliseName(field));
}

/** The same without limits. */
function countSlowly(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let at = 1; at <= right.length; at++) {
      const change = left[row - 1] === right[at - 1] ? 0 : 1;
      const counts = [rows[row - 1]![at]! + 1, current[at - 1]! + 1, rows[row - 1]![at - 1]! + change];
      const isSwap = row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      if (isSwap) counts.push(rows[row - 2]![at - 2]! + 1);
      current.push(Math.min(...counts));
    }
    rows.push(current);
  }
  return rows[left.length]![right.length]!;
}

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
        expect(countEdits(left, right)).toBe(Math.min(countSlowly(left, right), 3));
      }),
    );
  });
});
