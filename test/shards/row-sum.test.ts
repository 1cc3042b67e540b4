import { describe, expect, it } from "vitest";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import { RowSum } from "../../src/shards/deal-rows.ts";
import { surveyInput } from "../../src/survey/survey-input.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";

const HEADER = "cle;num_commande;actual_billable_amount";
const ROWS = [
  "K1;10;1,5",
  ";11;2,5",
  "K2;12;x",
  ";;",
  "K3;13;3,5",
  ";14;4,5",
  ";;",
  "K4;15;y",
  "K5;16;5,5",
  ";;",
];
const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;

async function chunkOf(rows: readonly string[]): Promise<PreparedChunk> {
  const source = sourceOf(`${[HEADER, ...rows].join("\n")}\n`);
  const input = await surveyInput(source, {}, fieldOptions({ pins: PINS }), new AbortController().signal, {
    emit: () => undefined,
  });
  const chunks: PreparedChunk[] = [];
  for await (const chunk of prepareRecords(input, { read: {} })) chunks.push(chunk);
  expect(chunks).toHaveLength(1);
  return chunks[0]!;
}

function sumOf(...chunks: readonly PreparedChunk[]): string {
  const sum = new RowSum();
  for (const chunk of chunks) sum.add(chunk);
  return sum.finish();
}

describe("the sum of rows", () => {
  it("is the same however they are cut into chunks", async () => {
    const { records, rejected, empty } = await chunkOf(ROWS);
    expect([records.length, rejected.length, empty.length]).toEqual([5, 2, 3]);
    const whole = sumOf({ records, rejected, empty });
    for (let at = 0; at <= 5; at++) {
      for (const other of [0, 1, 2, 3]) {
        const [first, second] = [
          { records: records.slice(0, at), rejected: rejected.slice(0, other), empty: empty.slice(0, other) },
          { records: records.slice(at), rejected: rejected.slice(other), empty: empty.slice(other) },
        ];
        expect(sumOf(first, second)).toBe(whole);
      }
    }
  });

  it.each([
    ["a cell of an update", 0, "K1;10;1,6"],
    ["a cell of a create", 1, ";11;2,6"],
    ["a key", 0, "K9;10;1,5"],
    ["an update that is a create", 0, ";10;1,5"],
    ["spaces that are cut off, so that only the places differ", 8, "K5;16;5,5 "],
    ["an invalid row that is valid", 7, "K4;15;8,5"],
    ["an empty row that is none", 3, ";17;"],
    ["a cell that another row has too", 0, "K1;16;1,5"],
  ])("is another with %s", async (_, at, row) => {
    const rows = ROWS.with(at, row);
    expect(sumOf(await chunkOf(rows))).not.toBe(sumOf(await chunkOf(ROWS)));
  });

  it("is another if a row is missing", async () => {
    const sums = new Set([sumOf(await chunkOf(ROWS))]);
    for (const at of ROWS.keys()) sums.add(sumOf(await chunkOf(ROWS.toSpliced(at, 1))));
    expect(sums.size).toBe(ROWS.length + 1);
  });
});
