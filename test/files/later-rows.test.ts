import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LaterRows } from "../../src/files/rows-files.ts";
import type { EndedRow } from "../../src/files/row-ends.ts";
import { draws } from "../support/draws.ts";

interface Told {
  readonly start: number;
  readonly key: string;
  readonly isReject: boolean;
  readonly fields: readonly string[];
}

const told = fc.array(
  fc.record({
    start: fc.nat(90),
    key: fc.oneof(fc.constantFrom("A", "B", "a\nb", "\ud800"), fc.string({ maxLength: 2 })),
    isReject: fc.boolean(),
    fields: fc.subarray(["a", "b", "c"]),
  }),
  { maxLength: 60 },
);

function inOrder(rows: readonly Told[]): readonly Told[] {
  const unique = [...new Map(rows.map((row) => [row.start, row])).values()];
  return unique.sort((a, b) => a.start - b.start);
}

/** For each reject of which later accepted rows give fields: whether they give all, and these rows. */
function findNaively(rows: readonly Told[]): Map<number, { isWhole: boolean; later: readonly number[] }> {
  const found = new Map<number, { isWhole: boolean; later: readonly number[] }>();
  for (const reject of rows.filter(({ isReject }) => isReject)) {
    const later = rows.filter((row) => !row.isReject && row.key === reject.key && row.start > reject.start);
    const given = new Set(later.flatMap(({ fields }) => fields));
    const isWhole = later.length > 0 && reject.fields.every((field) => given.has(field));
    if (isWhole || reject.fields.some((field) => given.has(field)))
      found.set(reject.start, { isWhole, later: later.map(({ start }) => start) });
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
        const later = new LaterRows(most);
        for (const row of rows) later.addRow(ended(row));
        const naive = findNaively(rows);
        const rejects = rows.filter(({ isReject }) => isReject);
        const found = rejects.map(({ start }) => {
          const row = later.of(start);
          if (row === undefined || row === "unknown") return row;
          return { isWhole: row.isWhole, isOne: naive.get(start)?.later.includes(row.line) };
        });
        const wanted = rejects.map(({ start }, at) => {
          const { isWhole } = naive.get(start) ?? {};
          if (at >= most) return "unknown";
          return isWhole === undefined ? undefined : { isWhole, isOne: true };
        });
        expect(found).toEqual(wanted);
      }),
      draws(40),
    );
  });
});
