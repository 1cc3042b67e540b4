import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecPushError } from "../../../src/model/failure.ts";
import type { ReadOptions } from "../../../src/read/read-options.ts";
import { readTable, sourceOf } from "../chunks.ts";

const LINES = {
  row: "A1;1;x",
  sparse: "A2;;",
  blank: ";;",
  gap: "",
  unreadable: 'A3;2;"x"y',
  short: "(2 rows)",
};
type Kind = keyof typeof LINES;

const fillOf = (kind: Kind): number => (kind === "row" ? 3 : kind === "sparse" ? 1 : 0);

describe("dropping the footer", () => {
  it("leaves out the last rows that hold something, and none as full as one above, however the chunks are cut", async () => {
    const kinds = fc.array(fc.constantFrom(...(Object.keys(LINES) as Kind[])), { maxLength: 12 });
    const upTo = (max: number) => fc.integer({ min: 1, max });
    await fc.assert(
      fc.asyncProperty(kinds, upTo(4), upTo(9), async (drawn, count, size) => {
        const lines = ["row", "sparse", ...drawn] as const;
        const text = `cle;num_commande;note\n${lines.map((kind) => LINES[kind]).join("\n")}\n`;
        const options: ReadOptions = { delimiter: ";", headerLine: 1, skipFooter: count };
        const held = lines.flatMap((kind, at) => (kind === "blank" || kind === "gap" ? [] : [at]));
        fc.pre(held.length >= count);
        const first = held.at(-count)!;
        const least = Math.min(...lines.slice(0, first).map((kind) => fillOf(kind) || Infinity));
        const isFull = lines.slice(first).some((kind) => fillOf(kind) >= least);
        const reading = readTable(sourceOf(text, size), options).catch((error: RecPushError) => error.code);
        const table = await reading;
        expect(table === "full-footer").toBe(isFull);
        if (typeof table === "string") return;
        const { rows, problems } = table;
        const read = [...rows.map(([line]) => line), ...problems.map(({ line }) => line)];
        const expected = lines.flatMap((kind, at) => (at < first && kind !== "gap" ? [at + 2] : []));
        expect([...new Set(read)].sort((left, right) => Number(left) - Number(right))).toEqual(expected);
      }),
    );
  });

  it("stops where it would lose an order", async () => {
    const text = "cle;num_commande;actual_billable_amount\nA1;1;100\nA2;2;200\n;;300\n";
    const { rows } = await readTable(sourceOf(text), { skipFooter: 1 });
    expect(rows.map(([line]) => line)).toEqual([2, 3]);
    await expect(readTable(sourceOf(text), { skipFooter: 2 })).rejects.toMatchObject({
      code: "full-footer",
      place: { line: 3 },
      message:
        "orders.csv:3: --skip-footer 2 would leave this row out, of which 3 cells are filled, as many as of a row above",
    });
  });
});
