import { describe, expect, it, vi } from "vitest";
import type { Row, RowChunk } from "../../src/model/rows.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { Rows } from "../../src/read/rows.ts";
import { surveyInput } from "../../src/survey/survey-input.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { inspectSource, sourceOf } from "./chunks.ts";

/** Rows of very different length, among them longer ones than a piece of the content; quotes and accents in some. */
function cellsAt(row: number, name: string): readonly string[] {
  const long = row % 997 === 0 ? 400_000 : row % 41 === 0 ? 900 : row % 7;
  const text = row % 3 === 0 ? `é;${row}` : "x";
  return [`${name}${row}`, text + "y".repeat(long), String(row)];
}

function csvOf(rows: number, name: string): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    cellsAt(row, name)
      .map((cell) => (cell.includes(";") ? `"${cell}"` : cell))
      .join(";"),
  );
  return `${["cle;libelle;numero", ...lines].join("\n")}\n`;
}

function jsonOf(rows: number, name: string): string {
  const records = Array.from({ length: rows }, (_, row) => {
    const [cle, libelle, numero] = cellsAt(row, name);
    return { cle, libelle, numero };
  });
  return JSON.stringify(records, undefined, 1);
}

async function chunksOf(text: string, size: number): Promise<AsyncIterable<RowChunk>> {
  const source = sourceOf(text, size);
  const options = { maxRowBytes: 1_000_000 };
  return readRows(source, await inspectSource(source, options), options);
}

describe("rows that give their memory back", () => {
  it.each([
    ["CSV", csvOf, 0],
    ["CSV", csvOf, 300_000],
    ["JSON", jsonOf, 300_000],
  ] as const)(
    "of %s leave the later ones as they are, also those of a second reader",
    async (_, write, size) => {
      const names = ["K", "é"];
      const readers = await Promise.all(names.map((name) => chunksOf(write(6000, name), size)));
      const iterators = readers.map((chunks) => chunks[Symbol.asyncIterator]());
      const read: string[][] = names.map(() => []);
      const open = new Set(iterators.keys());
      while (open.size > 0) {
        const given = new Map<number, RowChunk>();
        for (const at of open) {
          const { value, done } = await iterators[at]!.next();
          if (done === true) open.delete(at);
          else given.set(at, value);
        }
        for (const [at, { rows }] of given) {
          for (const { cells } of rows) read[at]!.push(JSON.stringify(cells));
          rows.release();
        }
      }
      for (const [at, name] of names.entries()) {
        const expected = Array.from({ length: 6000 }, (__, row) => JSON.stringify(cellsAt(row, name)));
        expect(read[at]!.length).toBe(6000);
        expect(read[at]!.findIndex((cells, row) => cells !== expected[row])).toBe(-1);
      }
    },
  );

  it.each([
    ["CSV", csvOf],
    ["JSON", jsonOf],
  ] as const)("of %s do so once they are surveyed, and once their records are made", async (_, write) => {
    const release = vi.spyOn(Rows.prototype, "release");
    const given = (): number => release.mock.calls.length;
    try {
      const source = sourceOf(write(6000, "K"), 100_000);
      const read = { maxRowBytes: 1_000_000 };
      const options = fieldOptions();
      const input = await surveyInput(source, read, options, new AbortController().signal, {
        emit: () => {},
      });
      const surveyed = given();
      let records = 0;
      for await (const chunk of prepareRecords(input, { read })) records += chunk.records.length;
      expect(records).toBe(6000);
      expect(surveyed).toBeGreaterThan(3);
      expect(given() - surveyed).toBeGreaterThan(3);
    } finally {
      release.mockRestore();
    }
  });

  it("of CSV use one memory for all chunks, and cannot be read any more", async () => {
    const memory = new Set<ArrayBufferLike>();
    const before: Row[] = [];
    const lines = Array.from({ length: 400_000 }, (_, row) => `K${row};x;${row}`);
    for await (const { rows } of await chunksOf(["cle;libelle;numero", ...lines, ""].join("\n"), 0)) {
      before.push(rows.row(0));
      memory.add(rows.spans(0)!.starts.buffer);
      rows.release();
      rows.release();
      expect(rows.length).toBe(0);
    }
    for (const row of before) expect(() => row.cells).toThrow("after its memory was given back");
    expect(before.length).toBeGreaterThan(10);
    expect(memory.size).toBeLessThan(6);
  });
});
