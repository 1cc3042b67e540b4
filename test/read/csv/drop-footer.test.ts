import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RowChunk } from "../../../src/model/row.ts";
import { dropFooter } from "../../../src/read/csv/drop-footer.ts";

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
          async function* chunks(): AsyncGenerator<RowChunk> {
            for (let at = 0; at < items.length; at += step) {
              const part = items.slice(at, at + step);
              const rows = part.filter(({ row }) => row).map(({ line }) => ({ line, cells: [] }));
              const problems = part.filter(({ row }) => !row).map(({ line }) => ({ line, reason: "x" }));
              yield { columns: [], rows, problems };
            }
            await Promise.resolve();
          }
          const lines: number[] = [];
          for await (const { rows, problems } of dropFooter(chunks(), count)) {
            lines.push(...[...rows, ...problems].map(({ line }) => line).sort((a, b) => a - b));
          }
          expect(lines).toEqual(items.slice(0, -count).map(({ line }) => line));
        },
      ),
    );
  });
});
