import fc from "fast-check";
import { expect, it } from "vitest";
import { CsvCells, toGrammar } from "../../../src/read/csv/csv-cells.ts";
import { RowScanner, type ScannedRows } from "../../../src/read/csv/row-scanner.ts";
import { Rows } from "../../../src/read/rows.ts";
import { FRENCH } from "../split.ts";
import { draws } from "../../support/draws.ts";

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("", "a", "é", "12,5", " ") },
  fc.integer({ min: 1, max: 90 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 1, max: 60 }).map((length) => `"${"y\n;".repeat(length)}"`),
);
const row = fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(";"));
const text = fc.array(fc.oneof({ weight: 9, arbitrary: row }, fc.constantFrom('a"b;c"d', '"open', "")), {
  maxLength: 12,
});

/** Scans one text. What it lends is overwritten at once, and the rows of a chunk are read before the next one comes. */
class Reading {
  readonly #found: { readonly start: number }[] = [];
  readonly #bytes: Buffer;
  readonly #size: number;
  readonly #scanner: RowScanner;
  #at = 0;
  #held: ScannedRows | undefined;

  constructor(text: string, size: number) {
    this.#bytes = Buffer.from(text);
    this.#size = size;
    this.#scanner = new RowScanner(FRENCH, { maxRowBytes: 200 });
  }

  /** Rows and unreadable ones. */
  get inOrder(): readonly unknown[] {
    return this.#found.toSorted((one, other) => one.start - other.start);
  }

  /** Reads the rows of the last chunk, and takes the next one; false at the end. */
  goOn(): boolean {
    this.#readHeld();
    if (this.#at >= this.#bytes.length) {
      this.#held = this.#scanner.end();
      this.#readHeld();
      return false;
    }
    const lent = Buffer.from(this.#bytes.subarray(this.#at, this.#at + this.#size));
    this.#at += lent.length;
    this.#held = this.#scanner.push(lent);
    lent.fill(0xff);
    return true;
  }

  #readHeld(): void {
    if (this.#held === undefined) return;
    const { rows, unreadable } = this.#held;
    this.#held = undefined;
    this.#found.push(...unreadable);
    for (const { line, start, end, texts } of rows) this.#found.push(toFound(line, start, end, texts));
  }
}

function toFound(line: number, start: number, end: number, cells: readonly string[]) {
  return { line, start, end, cells };
}

it("two scanners that are lent their chunks read what one of each does", () => {
  let withRest = 0;
  fc.assert(
    fc.property(fc.tuple(text, text), fc.constantFrom(3, 17, 64), (texts, size) => {
      const contents = texts.map((lines) => `${lines.join("\n")}\n`);
      const together = contents.map((content) => new Reading(content, size));
      for (let open = together; open.length > 0;) open = open.filter((reading) => reading.goOn());
      for (const [at, content] of contents.entries()) {
        const whole = new Reading(content, content.length);
        while (whole.goOn());
        expect(together[at]!.inOrder).toEqual(whole.inOrder);
        if (content.length > 2 * size) withRest += 1;
      }
    }),
    draws(100),
  );
  expect(withRest).toBeGreaterThan(20);
});

it("a row beyond the two thousand millionth line has its line number", () => {
  const line = 3_000_000_000;
  const rows = new Rows(new CsvCells(Buffer.from("a;b\nc;d\n"), toGrammar(FRENCH)), 0);
  rows.add(line, 0, 4, 0, 0);
  rows.add(line + 1, 4, 8, 0, 0);
  expect([rows.line(0), rows.row(1).line]).toEqual([line, line + 1]);
});
