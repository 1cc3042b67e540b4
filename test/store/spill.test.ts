import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Spill } from "../../src/store/spill.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { draws } from "../support/draws.ts";

async function linesOf(spill: Spill, number: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of spill.read(number)) lines.push(...some);
  return lines;
}

describe("lines in numbered partitions", () => {
  it("are read back in the order in which they were added, whatever is written in between", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", " "), maxLength: 40 });
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(fc.nat(3), line) },
      { weight: 1, arbitrary: fc.constant("settle" as const) },
      { weight: 1, arbitrary: fc.constant("wait" as const) },
    );
    const directory = await makeDirectory();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const spill = new Spill(directory, 10);
        const added = new Map<number, string[]>();
        const settling: Promise<void>[] = [];
        for (const each of steps) {
          // Others add lines while one caller waits.
          if (each === "settle") settling.push(spill.settle());
          else if (each === "wait") await settling.at(-1);
          else {
            const [number, text] = each;
            spill.add(number, text);
            added.set(number, [...(added.get(number) ?? []), text]);
          }
        }
        await Promise.all(settling);
        for (const [number, lines] of added) expect(await linesOf(spill, number)).toEqual(lines);
        await spill.remove();
      }),
      draws(60),
    );
    expect(await readdir(directory)).toEqual([]);
  });
});
