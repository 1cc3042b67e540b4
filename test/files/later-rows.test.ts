import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LaterRow, type RowPlace, LaterRows } from "../../src/files/verdict-log.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { draws } from "../support/draws.ts";

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

/** In these tests a row's line is its start. */
function nameLater({ input, line }: LaterRow): string {
  return `${input}:${line}`;
}

/** In the order of sending, because a row settles after the earlier ones with its key, and rejects are known before. */
function inSendingOrder(rows: readonly Told[]): readonly Told[] {
  const unique = [...new Map(rows.map((row) => [nameOf(row), row])).values()];
  return unique.sort((a, b) => a.input - b.input || a.start - b.start);
}

/** For each reject, the later accepted rows with its key. */
function findNaively(rows: readonly Told[]): Map<string, readonly string[]> {
  const isLater = (a: RowPlace, b: RowPlace): boolean =>
    a.input > b.input || (a.input === b.input && a.start > b.start);
  const found = rows
    .filter(({ isReject }) => isReject)
    .map((reject): [string, string[]] => [
      nameOf(reject),
      rows.filter((row) => !row.isReject && row.key === reject.key && isLater(row, reject)).map(nameOf),
    ]);
  return new Map(found.filter(([, later]) => later.length > 0));
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
        const found = new Map<string, string>();
        const superseded = new LaterRows(
          directory,
          (place, later) => found.set(nameOf(place), nameLater(later)),
          mostKeys,
        );
        const ordered = rejectsComeFirst
          ? [...rows.filter(({ isReject }) => isReject), ...rows.filter(({ isReject }) => !isReject)]
          : rows;
        for (const { key, isReject, ...place } of ordered) {
          if (isReject) superseded.addReject(key, place);
          else superseded.addAccepted(key, { ...place, line: place.start });
          await superseded.settle();
        }
        await superseded.findSpilled();
        const wanted = findNaively(rows);
        expect(new Set(found.keys())).toEqual(new Set(wanted.keys()));
        for (const [reject, later] of found) expect(wanted.get(reject)).toContain(later);
        await superseded.remove();
      }),
      draws(40),
    );
    expect(await readdir(directory)).toEqual([]);
  });
});
