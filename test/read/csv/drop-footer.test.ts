import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvCells } from "../../../src/read/csv/csv-cells.ts";
import { toGrammar } from "../../../src/read/csv/csv-grammar.ts";
import { CsvRow } from "../../../src/read/csv/csv-row.ts";
import { dropFooter } from "../../../src/read/csv/drop-footer.ts";
import type { CsvChunk } from "../../../src/read/csv/csv-row.ts";
import { FRENCH } from "../split.ts";

const NO_CELLS = new CsvCells(Buffer.alloc(0), toGrammar(FRENCH), 0);

describe("dropping the footer", () => {
  it("leaves out the last rows and problems by line, however the chunks are cut", async () => {
    const kinds = fc.array(fc.boolean(), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        async (isRow, count, step) => {
          const items = isRow.map((row, index) => ({ row, line: index + 1 }));
          async function* chunks(): AsyncGenerator<CsvChunk> {
            for (let at = 0; at < items.length; at += step) {
              const part = items.slice(at, at + step);
              const rows = part
                .filter(({ row }) => row)
                .map(({ line }) => new CsvRow(line, line, line + 1, NO_CELLS, 0, 0));
              const unreadable = part
                .filter(({ row }) => !row)
                .map(({ line }) => ({ line, reason: "x", start: line, end: line + 1 }));
              yield { columns: [], rows, unreadable };
            }
            await Promise.resolve();
          }
          const lines: number[] = [];
          for await (const { rows, unreadable } of dropFooter(chunks(), count)) {
            lines.push(...[...rows, ...unreadable].map(({ line }) => line).sort((a, b) => a - b));
          }
          expect(lines).toEqual(items.slice(0, -count).map(({ line }) => line));
        },
      ),
    );
  });
});
