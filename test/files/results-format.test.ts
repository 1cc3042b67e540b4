import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainResults } from "../../src/files/plain-results.ts";
import { inCsv, inJson, type RowEnd } from "../../src/files/results.ts";
import { draws } from "../support/draws.ts";

const END: RowEnd = { outcome: "accepted", batch: 3, status: 200, msg: 'OK; "done"', attempts: 1 };
const FORMATS = [
  ...[";", ",", "\t", "|", "-", " ", "1", "||"].map(
    (mark) => [`CSV with ${JSON.stringify(mark)}`, inCsv(`a b${mark}`, mark, [])] as const,
  ),
  ["JSON", inJson('{"file":"é.csv",', [])] as const,
];

const key = fc.oneof(
  fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
  fc.stringMatching(/^[A-Z0-9][A-Za-z0-9 ._-]{0,12}$/),
  fc.constantFrom(
    "-5",
    "=1",
    "+1",
    "@x",
    "\uff1dx",
    "é1",
    "C1\u2028",
    "a,b",
    "a;b",
    'a"b',
    "a\\b",
    "a\rb",
    "",
    " x",
    "C\u007f1",
    "C|1",
  ),
);

describe.each(FORMATS)("a row of results in %s", (_, format) => {
  it("is the same as bytes as it is as text, whatever its key", () => {
    const end = Buffer.from(format.end(END));
    let plain = 0;
    fc.assert(
      fc.property(key, fc.oneof(fc.nat(), fc.constantFrom(1, 9, 10, 99, 100, 2 ** 40)), (text, line) => {
        const rows = new PlainResults(format.pieces);
        const bytes = Buffer.from(`x${text}\t`);
        rows.addCreate(line, end);
        const isPlain = rows.addUpdate(line, bytes, 1, bytes.length - 1, end);
        if (isPlain) plain += 1;
        else rows.addText(format.row(line, text, undefined, END));
        const expected = format.row(line, undefined, undefined, END) + format.row(line, text, undefined, END);
        expect(rows.take().toString()).toBe(expected);
        expect(rows.take()).toHaveLength(0);
      }),
      draws(200),
    );
    expect(plain).toBeGreaterThan(20);
  });
});

it("many rows are as many as they were, also beyond the room there is", () => {
  const { pieces } = inCsv("f;", ";", []);
  const rows = new PlainResults(pieces);
  const expected = Array.from({ length: 60_000 }, (_, at) => `f;${at};K${at};e\n`);
  const end = Buffer.from(";e\n");
  for (const [at] of expected.entries()) {
    const key = Buffer.from(`K${at}`);
    expect(rows.addUpdate(at, key, 0, key.length, end)).toBe(true);
  }
  expect(rows.isFull).toBe(true);
  expect(rows.take().toString()).toBe(expected.join(""));
});
