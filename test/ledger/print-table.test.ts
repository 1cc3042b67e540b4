import fc from "fast-check";
import { expect, it } from "vitest";
import { PRINT_BYTES } from "../../src/ledger/comparison-form.ts";
import { PrintTable } from "../../src/ledger/print-table.ts";

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
