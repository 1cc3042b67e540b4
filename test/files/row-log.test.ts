import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RowLog } from "../../src/files/row-ends.ts";
import { draws } from "../support/draws.ts";
import { makeDirectory } from "../support/temp-files.ts";

const ranges = fc.array(
  fc.record({ input: fc.nat(2), first: fc.nat(40), more: fc.nat(20), value: fc.string({ maxLength: 3 }) }),
  { maxLength: 20 },
);

describe("the log of rows", () => {
  it.each([1_000_000, 7])(
    "gives the last value of each back in order, in blocks of %i rows",
    async (rows) => {
      const directory = await makeDirectory();
      await fc.assert(
        fc.asyncProperty(ranges, async (added) => {
          const log = new RowLog<string>(directory, rows);
          const wanted = new Map<string, string>();
          for (const { input, first, more, value } of added) {
            log.add(input, [first, first + more], value);
            for (let row = first; row <= first + more; row++) wanted.set(`${input} ${row}`, value);
            await log.settle();
          }
          for (let input = 0; input < 3; input++)
            for (let row = 0; row < 70; row++)
              expect(await log.find(input, row)).toBe(wanted.get(`${input} ${row}`));
        }),
        draws(rows === 7 ? 100 : 5),
      );
    },
  );
});
