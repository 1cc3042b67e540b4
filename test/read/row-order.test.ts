import { describe, expect, it } from "vitest";
import { inspectSource } from "../../src/read/inspect-source.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { sourceOf } from "./chunks.ts";

describe("rows and problems", () => {
  it.each([1, 2, 7, 33, 0])("come in file order from chunk to chunk, cut at %i bytes", async (size) => {
    const lines = [
      "a,b",
      "1,2",
      "3,4",
      "5",
      "6,7",
      "8,9,10",
      '11,"12',
      "13,14",
      '15,"16\n17" x',
      "18,19",
      "20",
    ];
    const content = `${lines.join("\n")}\n${"21,22\n23\n24,25\n\n26,27\n28,29,30\n".repeat(5)}`;
    const source = sourceOf(content, size);
    const inspection = await inspectSource(source, { delimiter: ",", headerLine: 1 });
    const found: number[] = [];
    for await (const { rows, unreadable } of readRows(source, inspection, {})) {
      const here = [...rows, ...unreadable].map(({ line }) => line);
      found.push(...here.sort((left, right) => left - right));
    }
    expect(found).toEqual([...new Set(found)].sort((left, right) => left - right));
    expect(found.length).toBeGreaterThan(30);
  });
});
