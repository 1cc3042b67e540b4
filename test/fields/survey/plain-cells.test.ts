import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { isDecodedTwice, TextDamage } from "../../../src/fields/survey/column-watch.ts";
import { FieldSurvey } from "../../../src/fields/survey/field-survey.ts";
import { takePlainText } from "../../../src/fields/survey/plain-cells.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { type CellSpans, ESCAPED, type RowChunk } from "../../../src/model/problem-groups.ts";
import { inspectText } from "../../read/inspect.ts";
import { MadeRows } from "../../support/made-rows.ts";
import { HEADER, oddFile, READ, readChunks, recordOptions } from "../../support/odd-csv.ts";
import { fieldOptions } from "./survey-support.ts";

/** The same rows with every cell marked as one that needs a closer look. */
function lookedAtCloser(chunk: RowChunk): RowChunk {
  const rows = Array.from(chunk.rows, ({ line, start, end, firstCell, width, spans, cells }) => {
    const { bytes, starts, ends, marks } = spans!;
    const closer = { areRowsAdjacent: true, bytes, starts, ends, marks: marks.map((mark) => mark | ESCAPED) };
    return {
      line,
      start,
      end,
      firstCell: firstCell!,
      cells,
      width: width!,
      spans: {
        ...closer,
        text: (cell: number) => spans!.text(cell),
        value: (cell: number) => spans!.value(cell),
        unescape: () => -1,
      },
    };
  });
  return { ...chunk, rows: new MadeRows(rows) };
}

function withTextCounted(spans: CellSpans, count: () => void): CellSpans {
  const text = (cell: number): string => {
    count();
    return spans.text(cell);
  };
  const { bytes, starts, ends, marks, areRowsAdjacent } = spans;
  const unescape = (): number => -1;
  return { bytes, starts, ends, marks, areRowsAdjacent, text, value: text, unescape };
}

function surveyOf(reading: Awaited<ReturnType<typeof inspectText>>["reading"], given: Partial<FieldOptions>) {
  const keys: unknown[] = [];
  const survey = new FieldSurvey(reading, fieldOptions(given), (...key) => keys.push(key), 0);
  return {
    add: (chunk: RowChunk) => survey.addChunk(chunk),
    end(): unknown {
      try {
        const { plan, ...found } = survey.finish();
        return {
          ...found,
          parts: plan.parts,
          odd: [...survey.oddRows()],
          suspects: [...(plan.suspects?.rows() ?? [])],
          keys,
        };
      } catch (error) {
        if (!(error instanceof RecPushError)) throw error;
        const { code, message, hint } = error;
        return { code, message, hint };
      }
    },
  };
}

const date = fc.constantFrom(
  "05/07/2016",
  "26/03/2024",
  "2024-03-26",
  "03/04/2016",
  "05-07-2016",
  "31/02/2024",
);
const amount = fc.constantFrom(
  "1 437,50",
  "1437,5",
  "1.437",
  "1.437,00",
  "12,5",
  "12.5",
  "595",
  "-0,5",
  "0",
  "-0",
  "1\u202f000",
  "0 123",

  "1\u00a0000,125",
  "1 000 000",
  "10 00",
  "1,437",
  "1437,125",
  "0,125",
  "12,",
  ",5",
  "--5",
  "1 437 50",
  "1234567890123456",
  "12345678901234,56",
  "12,5 €",
  "$1",
);
const text = fc.constantFrom(
  "ouvert",
  "nul",
  "null",
  "NaN",
  "été",
  "Ã©tÃ©",
  "Âge",
  "5,5E+05",
  "5.5e+05",
  "12",
  "#REF!",
  "=A1",
  "a\tb",

  "undefined",
  "undefined!",
  "dâ€™abord",
  "aÃ©",
  "x ",
  "#N/A",
  "\u00a0x",
  "\u00a0",
  "Nîmes",
  "Nantes",
  "natation",
  "nan ",
  "NAN.",
  "NaT",
  "NULL)",
  "null          ",
  "undefinedness",
);
const key = fc.constantFrom("K1", "K2", "C0000003", "", "5E+05", "NULL", "1", "é1", "K 1");
const digits = fc.constantFrom("551035", "00123", "551 035", "7", "x", "");
const rows = fc.constantFrom(text, date, amount).chain((last) =>
  fc.array(
    fc.tuple(key, digits, date, amount, last).map((cells) => cells.join(";")),
    { minLength: 4, maxLength: 8 },
  ),
);
/** A few rows repeat, so that formats are often settled and there are samples. */
const narrowFile = fc
  .tuple(rows, fc.array(fc.nat(7), { maxLength: 30 }))
  .map(([rows, order]) => [HEADER, ...order.map((at) => rows[at % rows.length]), ""].join("\n"));
const pins = fc.constantFrom<Partial<FieldOptions>>(
  {},
  { pins: { decimal: "," } },
  { pins: { dateFormat: "DD/MM/YYYY" } },
  { sparse: "keep" },
  { types: new Map([["actual_billable_amount", { kind: "amount", scale: 2 }]]) },
);
const TYPES = new Map([["libelle", { kind: "text" }]] as const);

describe("evidence taken from bytes", () => {
  it("is that which is taken from text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(oddFile, { weight: 3, arbitrary: narrowFile }),
        recordOptions,
        pins,
        fc.constantFrom(1, 7, 40, 200, 0),
        async (text, first, second, size) => {
          const { reading } = await inspectText(text, READ);
          const types = new Map([...TYPES, ...(first.types ?? []), ...(second.types ?? [])]);
          const options = { ...first, ...second, types };
          const [fromBytes, fromText] = [surveyOf(reading, options), surveyOf(reading, options)];
          for (const chunk of await readChunks(text, size)) {
            fromBytes.add(chunk);
            fromText.add(lookedAtCloser(chunk));
          }
          expect(fromBytes.end()).toEqual(fromText.end());
        },
      ),
      { numRuns: 400 },
    );
  });

  it("of a text means that it is nothing a program would write in place of a value", () => {
    const word = fc.constantFrom(
      ..."null nan nat undefined nul na x Nîmes Nantes aÃ© Âge bât â‚¬ Ã‰ 5 12\u0020rue 1,5E+ 8E 1E875 + - -1e".split(
        " ",
      ),
    );
    const text = fc
      .tuple(
        word,
        fc.func(fc.boolean()),
        fc.string({ unit: fc.constantFrom(..." )].>aeE+-5é€‚\u00a0".split("")), maxLength: 6 }),
      )
      .map(
        ([of, isLarge, rest]) =>
          of
            .split("")
            .map((char) => (isLarge(char) ? char.toUpperCase() : char))
            .join("") + rest,
      );
    const take = takePlainText({ addBytes: () => true });
    let taken = 0;
    fc.assert(
      fc.property(text, (said) => {
        const bytes = Buffer.from(said);
        if (!take(bytes, 0, bytes.length, 2)) return;
        const damage = new TextDamage("note");
        damage.add(said, 2);
        expect(damage.notices(true)).toEqual([]);
        expect(isDecodedTwice(said)).toBe(false);
        taken += 1;
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  it("needs no text of an ordinary export but its keys, its first rows and a sample", async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, at) => `K${at};${551_000 + at};05/07/2016;"1 437,50";${at % 2 === 0 ? "ouvert" : "fermé"}`,
    );
    const text = `${[HEADER, "K999;1;26/07/2016;1437,50;x", ...rows].join("\r\n")}\r\n`;
    const { reading } = await inspectText(text, READ);
    const survey = surveyOf(reading, { types: TYPES });
    let made = 0;
    for (const chunk of await readChunks(text, 1000)) {
      const rows = Array.from(chunk.rows, ({ line, start, end, spans, firstCell, width }) => ({
        line,
        start,
        end,
        spans: withTextCounted(spans!, () => made++),
        width: width!,
        firstCell: firstCell!,
        get cells(): never {
          throw new Error("all cells of a row were made into text");
        },
      }));
      survey.add({ ...chunk, rows: new MadeRows(rows) });
    }
    expect(survey.end()).toMatchObject({ counts: { updates: 5001 } });
    // 256 rows are sampled, more at first, with five cells each.
    expect(made).toBeLessThan(5001 + 30 + 5 * 4 * 256);
  });
});
