import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { readBook } from "../read/xlsx/read-workbook.ts";
import { makeDirectory } from "../support/temp-files.ts";
import { RecordDigest } from "./digest.ts";
import { makeRows, provideInput } from "./inputs.ts";
import { atLeast, atMost, fastest, figure, median, type Result, showTargets } from "./result.ts";

function digestOf(records: readonly Record<string, unknown>[]): string {
  const digest = new RecordDigest();
  for (const record of records) digest.add(record);
  return digest.toString();
}

describe("the files that the bench compares", () => {
  it("hold the same rows in every format", async () => {
    const directory = await makeDirectory();
    const bytes = async (...given: [Parameters<typeof provideInput>[1], number, { before?: number }?]) =>
      readFile((await provideInput(directory, ...given)).file);
    const csv: unknown[] = parse(await bytes("csv", 300), { columns: true });
    expect(csv).toHaveLength(300);
    expect(JSON.parse((await bytes("json", 300)).toString())).toEqual(csv);
    const lines = (await bytes("ndjson", 300)).toString().trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(csv);
    expect(parse(await bytes("csv", 130, { before: 170 }), { columns: true })).toEqual(csv.slice(170));
    const { rows } = await readBook(await bytes("xlsx", 300));
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

  it("hold rows with all keys, most of them, or none, each row once", () => {
    const keysOf = (keys?: "all" | "none") =>
      Array.from(makeRows(1000, keys && { keys }), ([key]) => key).filter((key) => key !== "").length;
    expect([keysOf("all"), keysOf("none")]).toEqual([1000, 0]);
    expect(keysOf() / 1000).toBeCloseTo(0.95, 1);
    expect(new Set(Array.from(makeRows(1000), ([, order]) => order)).size).toBe(1000);
  });

  it("knows the same records in another order, and no others", () => {
    const records = [{ cle: "A", state: "x" }, { cle: "B" }, { cle: "B" }];
    expect(digestOf([{ cle: "B" }, { state: "x", cle: "A" }, { cle: "B" }])).toBe(digestOf(records));
    const others = [records.slice(1), [{ cle: "A", state: "y" }, { cle: "B" }, { cle: "B" }], [{ cle: "A" }]];
    for (const other of others) expect(digestOf(other)).not.toBe(digestOf(records));
  });

  it("says of each target whether it holds, and which was not measured", () => {
    const results = new Map(
      (
        [
          ["own", 2, 1],
          ["slow", 9, 6],
          ["slower", 10, 5],
        ] as const
      ).map(([who, seconds, cpuSeconds]): [string, Result] => [
        who,
        { who, seconds, cpuSeconds, peakMb: 201 },
      ]),
    );
    const targets = [
      atLeast(4.6, "fast", fastest(["slower", "slow", "none"]), figure("own")),
      atLeast(4.5, "fast enough", figure("slow"), figure("own")),
      atMost(200, "small", figure("own", "peakMb")),
      atMost(2, "beside another", figure("own"), figure("none")),
    ];
    const cells = showTargets(targets.map((target) => [target, results] as const)).split("\n");
    expect(
      cells.slice(2).map((line) =>
        line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
    ).toEqual([
      ["fast", "4.50", "5.00", "at least 4.6", "NO"],
      ["fast enough", "4.50", "6.00", "at least 4.5", "yes"],
      ["small", "201.00", "", "at most 200", "NO"],
      ["beside another", "", "", "at most 2", "not measured"],
    ]);
    expect([median([9, 1, 10]), median([4, 1, 3, 2]), median([1, undefined])]).toEqual([9, 2.5, undefined]);
  });
});
