import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { makeDirectory } from "../support/temp-files.ts";
import { RecordDigest } from "./digest.ts";
import { provideInput } from "./inputs.ts";
import { median } from "./result.ts";
import { makeRows } from "./rows.ts";

function digestOf(records: readonly Record<string, unknown>[]): string {
  const digest = new RecordDigest();
  for (const record of records) digest.add(record);
  return digest.toString();
}

describe("the files that the bench compares", () => {
  it("writes the same rows in every format", async () => {
    const directory = await makeDirectory();
    const text = async (format: Parameters<typeof provideInput>[1]): Promise<string> =>
      readFile((await provideInput(directory, format, 300)).file, "utf8");
    const csv: unknown[] = parse(await text("csv"), { columns: true });
    expect(csv).toHaveLength(300);
    expect(parse(await text("semicolon"), { columns: true, delimiter: ";" })).toEqual(csv);
    expect(JSON.parse(await text("json"))).toEqual(csv);
    const lines = (await text("ndjson")).trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(csv);
  });

  it("draws the same rows each time, some of them without key", () => {
    const rows = [...makeRows(1000)];
    expect([...makeRows(1000)]).toEqual(rows);
    const withoutKey = rows.filter(([key]) => key === "").length;
    expect(withoutKey).toBeGreaterThan(20);
    expect(withoutKey).toBeLessThan(100);
  });

  it("draws rows that no other file has, with all keys or none", () => {
    const first = [...makeRows(50, { keys: "none" })];
    const more = [...makeRows(50, { keys: "none", before: 50 })];
    expect(new Set([...first, ...more].map(([key, order]) => key + order)).size).toBe(100);
    expect(first.every(([key]) => key === "")).toBe(true);
    expect([...makeRows(50, { keys: "all" })].some(([key]) => key === "")).toBe(false);
  });

  it("knows the same records in another order, and no others", () => {
    const records = [{ cle: "A", state: "x" }, { cle: "B" }, { cle: "B" }];
    const reordered = [{ cle: "B" }, { state: "x", cle: "A" }, { cle: "B" }];
    expect(digestOf(reordered)).toBe(digestOf(records));
    const others = [records.slice(1), [{ cle: "A", state: "y" }, { cle: "B" }, { cle: "B" }], [{ cle: "A" }]];
    for (const other of others) expect(digestOf(other)).not.toBe(digestOf(records));
  });

  it("takes the median of the measurements", () => {
    expect(median([9, 1, 10])).toBe(9);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
