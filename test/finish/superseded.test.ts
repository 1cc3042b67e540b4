import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Superseded, type RowPlace } from "../../src/finish/superseded.ts";
import { makeDirectory } from "../support/temp-files.ts";

interface Told extends RowPlace {
  readonly key: string;
  readonly isReject: boolean;
}

const told = fc.array(
  fc.record({
    input: fc.nat(2),
    start: fc.nat(30),
    key: fc.oneof(fc.constantFrom("A", "B", "a\nb", "\ud800"), fc.string({ maxLength: 2 })),
    isReject: fc.boolean(),
  }),
  { maxLength: 60 },
);

function nameOf({ input, start }: RowPlace): string {
  return `${input}:${start}`;
}

/** In the order of sending, because a row settles after the earlier ones with its key, and rejects are known before. */
function inSendingOrder(rows: readonly Told[]): readonly Told[] {
  const unique = [...new Map(rows.map((row) => [nameOf(row), row])).values()];
  return unique.sort((a, b) => a.input - b.input || a.start - b.start);
}

function findNaively(rows: readonly Told[]): Set<string> {
  const isLater = (a: RowPlace, b: RowPlace): boolean =>
    a.input > b.input || (a.input === b.input && a.start > b.start);
  const rejects = rows.filter(({ isReject }) => isReject);
  return new Set(
    rejects
      .filter((reject) => rows.some((row) => !row.isReject && row.key === reject.key && isLater(row, reject)))
      .map(nameOf),
  );
}

describe("rejects that a later accepted row supersedes", () => {
  it.each([
    ["their keys are held", 1000],
    ["their keys become too many", 3],
    ["no key is held", 0],
  ])("are found exactly where %s", async (_, mostKeys) => {
    const directory = await makeDirectory();
    await fc.assert(
      fc.asyncProperty(told, fc.boolean(), async (drawn, rejectsComeFirst) => {
        const rows = inSendingOrder(drawn);
        const found = new Set<string>();
        const superseded = new Superseded(directory, (place) => found.add(nameOf(place)), mostKeys);
        const ordered = rejectsComeFirst
          ? [...rows.filter(({ isReject }) => isReject), ...rows.filter(({ isReject }) => !isReject)]
          : rows;
        for (const { key, isReject, ...place } of ordered) {
          if (isReject) superseded.addReject(key, place);
          else superseded.addAccepted(key, place);
          await superseded.settle();
        }
        await superseded.findSpilled();
        expect(found).toEqual(findNaively(rows));
        await superseded.remove();
      }),
      { numRuns: 200 },
    );
    expect(await readdir(directory)).toEqual([]);
  });
});
