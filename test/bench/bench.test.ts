import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { readBook } from "../read/xlsx/read-workbook.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { RecordDigest } from "./digest.ts";
import { provideInput } from "./inputs.ts";
import { parseBenchOptions } from "./bench-options.ts";
import { atLeast, atMost, median } from "./result.ts";
import { makeRows } from "./rows.ts";
import { describeSize, showTargets } from "./table.ts";

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

  it("writes them as a workbook too", async () => {
    const { file } = await provideInput(await makeDirectory(), "xlsx", 300);
    const { rows } = await readBook(await readFile(file));
    const days = (date: string): string => date.split("/").reverse().join("-");
    const amount = (text: string): string => String(Number(text.replace(" ", "").replace(",", ".")));
    expect(rows).toEqual(
      Array.from(makeRows(300), ([key, order, billed, paid, invoice, closed], at) => [
        at + 2,
        key,
        { number: order },
        days(billed),
        { number: amount(paid) },
        { number: invoice },
        days(closed),
      ]),
    );
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

  it("says of each target whether it holds, and which was not measured", () => {
    const shown = showTargets([
      atLeast("fast", 3.99, 4, { byCpu: 4.5 }),
      atLeast("fast enough", 4, 4),
      atMost("small", 221, 220, { unit: "MB" }),
      atMost("polite", 0.004, 0.01, { unit: "%" }),
      atLeast("beside Miller", undefined, 2.4),
    ]);
    const cells = shown.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(cells.slice(2).map((row) => row.slice(1, -1))).toEqual([
      ["fast", "3.99 x", "4.50 x", "at least 4.00 x", "NO"],
      ["fast enough", "4.00 x", "", "at least 4.00 x", "yes"],
      ["small", "221 MB", "", "at most 220 MB", "NO"],
      ["polite", "0.4 %", "", "at most 1.0 %", "yes"],
      ["beside Miller", "", "", "at least 2.40 x", "not measured"],
    ]);
  });

  it("says that fewer rows than the targets are set for give lower ratios", () => {
    expect(describeSize(300_000)).toContain("With 300,000 start-up weighs more");
    expect(describeSize(1_000_000)).toBe("");
  });

  it("has a short form whose size may be given", () => {
    expect(parseBenchOptions([])).toMatchObject({ isTargets: false, rounds: 5, rows: 1_000_000 });
    const short = parseBenchOptions(["--targets", "--rounds", "1"]);
    expect(short).toMatchObject({ isTargets: true, rounds: 1, rows: 250_000, largeRows: 1_250_000 });
  });
});
