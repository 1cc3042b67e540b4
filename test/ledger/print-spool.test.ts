import fc from "fast-check";
import { expect, it } from "vitest";
import { PrintSpool } from "../../src/ledger/print-table.ts";
import { makeDirectory } from "../support/temp-files.ts";

it.each([0, 40, 60_000])(
  "prints are found again by their numbers, of %i and some in a spool",
  async (least) => {
    for (const hashed of [[], [["num_commande"]]]) {
      const spool = await PrintSpool.create(await makeDirectory(), hashed);
      const { width } = spool;
      const count = least + 10;
      for (let at = 0; at < count; at++)
        await spool.add((target, to) => {
          target.fill(at % 251, to, to + width);
          target.writeUInt32LE(at, to);
        });
      const numbers = fc.array(fc.nat({ max: count - 1 }), { maxLength: 50 });
      fc.assert(
        fc.property(numbers, fc.boolean(), (some, isSorted) => {
          const wanted = isSorted ? some.toSorted((a, b) => a - b) : some;
          const prints = spool.pick(wanted);
          expect(prints).toHaveLength(wanted.length * width);
          for (const [at, number] of wanted.entries()) {
            expect(prints.readUInt32LE(at * width)).toBe(number);
            expect(prints[(at + 1) * width - 1]).toBe(number % 251);
          }
        }),
      );
      await spool.remove();
    }
  },
);
