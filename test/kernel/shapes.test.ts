import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ShapeTable } from "../../src/kernel/shapes.ts";
import { draws } from "../support/draws.ts";

const text = fc.string({ unit: fc.constantFrom(...Array.from("0019:/ .,-aé€?")), maxLength: 14 });
/** Texts that differ from one another in few characters. */
const alike = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(13), fc.constantFrom(...Array.from("0159:/?aé")))))
  .map(([first, changes]) => {
    const characters = Array.from(first);
    for (const [at, other] of changes) if (at < characters.length) characters[at] = other;
    return [first, characters.join("")] as const;
  });

/** A number is as long as another one, and begins with a zero if that one does. */
function formOf(cell: string, areDigitsAlike: boolean): string {
  return areDigitsAlike
    ? cell.replaceAll(
        /\d+/g,
        (number) => (number.startsWith("0") ? "0" : "n") + "n".repeat(number.length - 1),
      )
    : cell;
}

/** The shape that is found for a cell which lies between others. */
function find(
  table: ShapeTable,
  areDigitsAlike: boolean,
  cell: string,
  [before, after] = ["7;", ";7"],
): number {
  const bytes = Buffer.from(`${before}${cell}${after}`);
  const start = Buffer.byteLength(before);
  return table.find(3, areDigitsAlike, bytes, start, start + Buffer.byteLength(cell));
}

describe("the shape of a cell", () => {
  it("is that of the cells that differ from it in their digits only, or of equal ones", () => {
    fc.assert(
      fc.property(alike, fc.boolean(), ([learnt, cell], areDigitsAlike) => {
        const table = new ShapeTable();
        expect(table.learn(3, areDigitsAlike, learnt, 42)).toBe(true);
        const shape = find(table, areDigitsAlike, cell);
        const isAlike = formOf(cell, areDigitsAlike) === formOf(learnt, areDigitsAlike);
        expect([shape > 0, table.learnt(shape)]).toEqual([isAlike, isAlike ? 42 : 0]);
      }),
      draws(2000),
    );
  });

  it("is found among many, whatever comes before and after the cell", () => {
    const table = new ShapeTable();
    const cells = Array.from({ length: 3000 }, (_, at) => `${"x".repeat(at % 9)}${at}`);
    for (const [at, cell] of cells.entries()) table.learn(3, false, cell, at);
    for (const [at, cell] of cells.entries())
      expect(table.learnt(find(table, false, cell, [cells[at - 1] ?? "", "9"]))).toBe(at);
    expect(find(table, false, "3000")).toBe(0);
  });
});
