import fc from "fast-check";
import { expect, it } from "vitest";
import { PRINT_BYTES } from "../../src/ledger/comparison-form.ts";
import { PrintSpool, PrintTable } from "../../src/ledger/print-table.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** Few different words, so that prints share words and places in the table. */
const word = fc.oneof(fc.constantFrom(0, 1, -1, 1 << 20, -(2 ** 31)), fc.integer());
const print = fc.tuple(word, word, word);
const prints = fc.array(fc.oneof(print, fc.tuple(fc.nat(3), fc.constant(7), fc.constant(7))), {
  maxLength: 40,
});

function bytesOf(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(1 + PRINT_BYTES);
  for (const [at, value] of words.entries()) bytes.writeInt32LE(value, 1 + 4 * at);
  return bytes;
}

it("prints are numbered as they come, each once, and found by nothing else", () => {
  fc.assert(
    fc.property(prints, prints, (added, others) => {
      const table = new PrintTable(added.length);
      const numbers = new Map<string, number>();
      for (const words of added) {
        const number = table.add(bytesOf(words), 1);
        expect(number).toBe(numbers.get(words.join()) ?? numbers.size);
        expect(number).toBeLessThan(table.most);
        numbers.set(words.join(), number);
      }
      for (const words of [...added, ...others])
        expect(table.find(bytesOf(words), 1)).toBe(numbers.get(words.join()) ?? -1);
    }),
  );
});

it.each([10, 50, 60_010])("%i prints come back in order, each with its number", async (count) => {
  for (const hashed of [[], [["num_commande"]]]) {
    const spool = await PrintSpool.create(await makeDirectory(), hashed);
    for (let at = 0; at < count; at++)
      await spool.add((target, to) => {
        target.fill(at % 251, to, to + spool.width);
        target.writeUInt32LE(at, to);
      });
    let next = 0;
    let wrong = 0;
    await spool.scan((bytes, at, number) => {
      const isRight = bytes.readUInt32LE(at) === next && bytes[at + spool.width - 1] === next % 251;
      if (!isRight || number !== next) wrong += 1;
      next += 1;
    });
    expect([next, wrong, spool.count]).toEqual([count, 0, count]);
    await spool.remove();
  }
});
