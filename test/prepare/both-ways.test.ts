import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../src/fields/field-options.ts";
import { planWithoutSurvey } from "../../src/fields/record/plan-without-survey.ts";
import { RecPushError } from "../../src/model/failure.ts";
import { recordJson } from "../../src/model/record.ts";
import type { RowChunk } from "../../src/model/row.ts";
import type { PreparedChunk } from "../../src/prepare/packed-chunk.ts";
import { prepareRecords } from "../../src/prepare/prepare-records.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { readRows } from "../../src/read/read-rows.ts";
import { fieldOptions } from "../fields/survey/survey-support.ts";
import { sourceOf } from "../read/chunks.ts";
import { inspectText } from "../read/inspect.ts";
import { recordsMaker, throughText } from "../support/make-records.ts";

const HEADER = "cle;num_commande;date_billed;actual_billable_amount;libelle";
const PINS = { dateFormat: "DD/MM/YYYY", decimal: "," } as const;
const READ: ReadOptions = { delimiter: ";", quote: '"', headerLine: 1, encoding: "utf-8" };

const usual = fc.tuple(
  fc.constantFrom("K1", "C0000002", "551035", ""),
  fc.constantFrom("551035", "00123", ""),
  fc.constantFrom("05/07/2016", "26/03/2024", "2024-03-26", ""),
  fc.constantFrom("1 437,50", "595", "-0,5", "", "1\u202f000,00"),
  fc.constantFrom("ouvert", "été", " ", "", "a b"),
);
const odd = fc.tuple(
  fc.constantFrom("NULL", " K9 ", "é1", "5E+05", "5.5E+05", "\u00a0", "=1"),
  fc.constantFrom("551 035", '="00123"', "x", "1,5"),
  fc.constantFrom("31/02/2024", "5/7/16", "1 mai 2024", "x"),
  fc.constantFrom("1.437", "1 437 €", "12 $", "abc", "(5)"),
  fc.constantFrom("2 lignes\nici", 'Ecran 24"', "\\", "\u00a0", "total; général"),
);
const cells = fc.oneof(
  { weight: 12, arbitrary: usual },
  {
    weight: 2,
    arbitrary: fc
      .tuple(usual, odd, fc.nat(4))
      .map(([row, odds, at]) => row.map((cell, index) => (index === at ? odds[at]! : cell))),
  },
);
const row = fc
  .tuple(cells, fc.boolean())
  .map(([cells, isQuoted]) =>
    cells
      .map((cell) => (isQuoted || /[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(";"),
  );
const line = fc.oneof(
  { weight: 60, arbitrary: row },
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("une seule", "a;b;c;d;e;f", "  ", 'a"b;;;;', '"a"b;;;;', "Total;;;12,5;"),
  },
);
const file = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n", "\r"))
  .map(([lines, end]) => [HEADER, ...lines].join(end) + end);
const options = fc.constantFrom<Partial<FieldOptions>>(
  {},
  { drop: ["libelle"] },
  { drop: ["cle"] },
  { set: new Map([["source", 'web "1"']]) },
  { nulls: ["NULL", "ouvert"] },
  { empty: "send" },
  { empty: "send", nulls: ["595"], fields: new Map([["libelle", { default: "rien" }]]) },
  { only: "updates" },
  { only: "creates", set: new Map([["source", "x"]]) },
  { fields: new Map([["num_commande", { required: true, pattern: "5.*" }]]) },
  { fields: new Map([["libelle", { default: "rien" }]]) },
  { types: new Map([["actual_billable_amount", { kind: "amount", scale: 2 }]]) },
);

async function readChunks(text: string, size: number): Promise<readonly RowChunk[]> {
  const inspection = await inspectText(text, READ);
  const chunks: RowChunk[] = [];
  try {
    for await (const chunk of readRows(sourceOf(text, size), inspection, READ)) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
  }
  return chunks;
}

function shown({ records, rejected, empty }: PreparedChunk): unknown {
  const lines = records.map((record) => {
    const { line, rowStart, rowEnd, key } = record;
    return [line, rowStart, rowEnd, key, recordJson(record)];
  });
  return { lines, rejected, empty };
}

const TYPES = new Map([["libelle", { kind: "text" }]] as const);

describe("records made from bytes", () => {
  it("are those that are made through text", async () => {
    await fc.assert(
      fc.asyncProperty(file, options, fc.constantFrom(1, 7, 40, 200, 0), async (text, options, size) => {
        const { reading } = await inspectText(text, READ);
        const plan = planWithoutSurvey(
          reading,
          fieldOptions({ pins: PINS, ...options, types: new Map([...TYPES, ...(options.types ?? [])]) }),
        );
        const [fromBytes, fromText] = [recordsMaker(plan), recordsMaker(plan)];
        for (const chunk of await readChunks(text, size)) {
          expect(shown(fromBytes(chunk))).toEqual(shown(fromText(throughText(chunk))));
        }
      }),
      { numRuns: 4000 },
    );
  });

  it.each<[string, Partial<FieldOptions>]>([
    ["alone", {}],
    ["beside words for no value", { nulls: ["NULL"] }],
    ["sent empty", { empty: "send" }],
    ["with constants", { set: new Map([["source", "web"]]) }],
    ["of which only updates may come", { only: "updates" }],
  ])("need no text of the cells of an ordinary export: %s", async (_, options) => {
    const rows = Array.from(
      { length: 500 },
      (_, at) => `K${at};${551_000 + at};05/07/2016;"1 437,50";${at % 5 === 0 ? "" : "été"}`,
    );
    const text = `${[HEADER, ...rows].join("\r\n")}\r\n`;
    const { reading } = await inspectText(text, READ);
    const make = recordsMaker(
      planWithoutSurvey(
        reading,
        fieldOptions({ pins: PINS, ...options, types: new Map([...TYPES, ...(options.types ?? [])]) }),
      ),
    );
    let made = 0;
    for (const chunk of await readChunks(text, 1000)) {
      const rows = chunk.rows.map(({ line, start, end, spans, firstCell }) => ({
        line,
        start,
        end,
        spans: spans!,
        firstCell: firstCell!,
        get cells(): never {
          throw new Error("a cell was made into text");
        },
      }));
      made += make({ ...chunk, rows }).records.length;
    }
    expect(made).toBe(500);
  });

  it("stand where their rows stand in the content", async () => {
    const text = `\ufeff${HEADER}\r\nK1;1;;1,5;"a\r\nb"\r\n\r\nK2;2;31/02/2016;1;x\nune seule\n\nK3;3;;;été`;
    const inspection = await inspectText(text, READ);
    const plan = planWithoutSurvey(inspection.reading, fieldOptions({ pins: PINS, types: TYPES }));
    const input = { source: sourceOf(text), inspection, plan };
    const texts: string[] = [];
    const content = Buffer.from(text.slice(1));
    for await (const chunk of prepareRecords(input, { read: READ, judgesTotals: false })) {
      for (const { rowStart, rowEnd } of chunk.records)
        texts.push(content.toString("utf8", rowStart, rowEnd));
      for (const { start, end } of chunk.rejected) texts.push(content.toString("utf8", start, end));
    }
    expect(texts).toEqual(['K1;1;;1,5;"a\r\nb"\r\n', "K2;2;31/02/2016;1;x\n", "une seule\n", "K3;3;;;été"]);
  });
});
