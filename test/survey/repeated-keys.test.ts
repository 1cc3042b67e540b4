import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RepeatedKeys } from "../../src/survey/repeated-keys.ts";
import { hasDistinctKeys } from "../../src/survey/survey-inputs.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** So small that everything goes to disk. */
const SMALL = 20;

async function feed(directory: string, keys: readonly string[], bufferBytes?: number): Promise<RepeatedKeys> {
  const repeated = new RepeatedKeys(directory, bufferBytes);
  for (const [row, key] of keys.entries()) {
    repeated.add(key, row + 2);
    await repeated.settle();
  }
  return repeated;
}

function firstOf(keys: readonly string[]): object | undefined {
  const row = keys.findIndex((key, at) => keys.indexOf(key) < at);
  if (row === -1) return undefined;
  const key = keys[row]!;
  return { key, firstLine: keys.indexOf(key) + 2, line: row + 2 };
}

describe("RepeatedKeys", () => {
  it.each([
    ["held in memory", undefined],
    ["written out", SMALL],
  ])("finds exactly the repeats, %s", async (_, bufferBytes) => {
    const directory = await makeDirectory();
    const key = fc.oneof(
      fc.constantFrom("A1", "A2", "a\nb", "a\tb", "", "[", 'q"', "\ud800", "é"),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(key, { maxLength: 60 }), async (keys) => {
        const repeated = await feed(directory, keys, bufferBytes);
        const expected = keys.map((text, at) => keys.lastIndexOf(text) > at);
        const count = expected.filter(Boolean).length;
        expect(await repeated.markEarlier()).toEqual({ count, first: firstOf(keys) });
        expect(keys.map((_, update) => repeated.isMarked(update))).toEqual(expected);
        await repeated.remove();
      }),
      { numRuns: 40 },
    );
    expect(await readdir(directory)).toEqual([]);
  });

  it("keeps keys in files that only their owner reads", async () => {
    const directory = await makeDirectory();
    const repeated = await feed(directory, ["A1", "A2", "A3", "A4", "A5"], SMALL);
    const names = await readdir(directory);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    await repeated.remove();
  });
});

it.each([
  [0, false, true],
  [1, false, false],
  [0, true, false],
])(
  "with %i repeats, and bounded %s, all keys are certainly distinct: %s",
  (repeatedKeys, isBounded, isDistinct) =>
    expect(hasDistinctKeys({ repeatedKeys, repeatedKeysBounded: isBounded })).toBe(isDistinct),
);
