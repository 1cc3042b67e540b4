import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LaterRow, type RowPlace, LaterRows } from "../../src/files/later-rows.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { draws } from "../support/draws.ts";

interface Told extends RowPlace {
  readonly key: string;
  readonly isReject: boolean;
  readonly fields: readonly string[];
}

const told = fc.array(
  fc.record({
    input: fc.nat(2),
    start: fc.nat(30),
    key: fc.oneof(fc.constantFrom("A", "B", "a\nb", "\ud800"), fc.string({ maxLength: 2 })),
    isReject: fc.boolean(),
    fields: fc.subarray(["a", "b", "c"]),
  }),
  { maxLength: 60 },
);

function nameOf({ input, start }: RowPlace): string {
  return `${input}:${start}`;
}

/** In these tests a row's line is its start. */
function nameLater({ input, line }: LaterRow): string {
  return `${input}:${line}`;
}

function inOrder(rows: readonly Told[]): readonly Told[] {
  const unique = [...new Map(rows.map((row) => [nameOf(row), row])).values()];
  return unique.sort((a, b) => a.input - b.input || a.start - b.start);
}

/** For each reject of which later accepted rows give fields: whether they give all, and these rows. */
function findNaively(rows: readonly Told[]): Map<string, { isWhole: boolean; later: readonly string[] }> {
  const isLater = (a: RowPlace, b: RowPlace): boolean =>
    a.input > b.input || (a.input === b.input && a.start > b.start);
  const found = new Map<string, { isWhole: boolean; later: readonly string[] }>();
  for (const reject of rows.filter(({ isReject }) => isReject)) {
    const later = rows.filter((row) => !row.isReject && row.key === reject.key && isLater(row, reject));
    const given = new Set(later.flatMap(({ fields }) => fields));
    const isWhole = later.length > 0 && reject.fields.every((field) => given.has(field));
    if (isWhole || reject.fields.some((field) => given.has(field)))
      found.set(nameOf(reject), { isWhole, later: later.map(nameOf) });
  }
  return found;
}

describe("rejects of which later accepted rows give fields", () => {
  it.each([
    ["their keys are held", 1000],
    ["their keys become too many", 3],
    ["no key is held", 0],
  ])("are found exactly where %s", async (_, mostKeys) => {
    const directory = await makeDirectory();
    await fc.assert(
      fc.asyncProperty(told, async (drawn) => {
        const rows = inOrder(drawn);
        const found = new Map<string, LaterRow>();
        const superseded = new LaterRows(
          directory,
          (place, later) => found.set(nameOf(place), later),
          mostKeys,
        );
        for (const { key, isReject, ...place } of rows) {
          superseded.add(key, { ...place, line: isReject ? undefined : place.start });
          await superseded.settle();
        }
        await superseded.findSpilled();
        const wanted = findNaively(rows);
        const areWhole = [...found].map(([reject, { isWhole }]) => [reject, isWhole]);
        expect(new Map(areWhole as [string, boolean][])).toEqual(
          new Map([...wanted].map(([reject, { isWhole }]) => [reject, isWhole])),
        );
        for (const [reject, later] of found) expect(wanted.get(reject)!.later).toContain(nameLater(later));
        await superseded.remove();
      }),
      draws(40),
    );
    expect(await readdir(directory)).toEqual([]);
  });
});
