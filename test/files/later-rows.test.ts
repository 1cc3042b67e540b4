import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LaterRows } from "../../src/files/later-rows.ts";
import type { EndedRow } from "../../src/files/row-ends.ts";
import { draws } from "../support/draws.ts";

interface RowPlace {
  readonly input: number;
  readonly start: number;
}

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

/** A row as it ended; its line is its start. */
function ended({ start, key, isReject, fields }: Told): EndedRow {
  const row = {
    line: start,
    start,
    end: start,
    how: { outcome: isReject ? "rejected" : "accepted", msg: "" },
  };
  const record = {
    key,
    text: JSON.stringify({ cle: key, ...Object.fromEntries(fields.map((f) => [f, "x"])) }),
  };
  return { ...row, ...(isReject ? { rejected: { key, fields } } : { record }) } as unknown as EndedRow;
}

describe("rejects of which later accepted rows give fields", () => {
  it.each([1000, 3, 0])("are found exactly, or not known after the first %d", (most) => {
    fc.assert(
      fc.property(told, (drawn) => {
        const rows = inOrder(drawn);
        const changed = new Set<number>();
        const later = new LaterRows((input) => changed.add(input), most);
        for (const row of rows) later.addRow(row.input, ended(row));
        const naive = findNaively(rows);
        const rejects = rows.filter(({ isReject }) => isReject);
        const found = rejects.map((reject) => {
          const row = later.of(reject.input, reject.start);
          if (row === undefined || row === "unknown") return row;
          const isOne = naive.get(nameOf(reject))?.later.includes(`${row.input}:${row.line}`);
          return { isWhole: row.isWhole, isOne, isTold: changed.has(reject.input) };
        });
        const wanted = rejects.map((reject, at) => {
          const { isWhole } = naive.get(nameOf(reject)) ?? {};
          if (at >= most) return "unknown";
          return isWhole === undefined ? undefined : { isWhole, isOne: true, isTold: true };
        });
        expect(found).toEqual(wanted);
      }),
      draws(40),
    );
  });
});
