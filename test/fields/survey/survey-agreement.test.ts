import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import type { FieldSettlement } from "../../../src/fields/survey/field-survey.ts";
import { MAX_KEPT_PROBLEMS } from "../../../src/fields/survey/invalid-rows.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { type Cell, JsonNumber, NestedValue } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { makeRecords } from "../../support/make-records.ts";
import { chunksOf, csvReading, survey } from "./survey-support.ts";
import { draws } from "../../support/draws.ts";

const COLUMNS = ["cle", "num_commande", "date_billed", "x_amount", "note", "status"];

const blank = fc.constantFrom<Cell>("", " ", "\u00a0", null, undefined, "NULL", "-");
/** Texts between bars, blanks and other cells. */
const oneOf = (texts: string, ...others: readonly Cell[]) =>
  fc.oneof(blank, fc.constantFrom<Cell>(...texts.split("|"), ...others));

const number = (source: string): JsonNumber => new JsonNumber(source);
const key = oneOf(`K1| K2 |="K3"|="  "|#N/A|NA|?|'00123|5.5E+05`, number("7"), number("1.5"), true);
const digits = oneOf(
  `551035|551 036|551035,00|="007"|5.5E+05|x`,
  number("12"),
  number("1e2"),
  new NestedValue("object"),
);
const date = oneOf(
  `05/07/2016|26/03/2024|26.03.2024|2016-07-05|1er mars 2024|31/02/2016|soon|2016-07-04T00:00:00Z|05-07-16|16/07/05|17.07.13|45/03/14|14/03/45|14 mar 12|="05/07/2016"|le 5 juillet 2016 à 14h30`,
  number("42552"),
);
const amount = oneOf(
  "1 437,50|1.234|1,234|12,5|595|(5,00)|1,2,3|1.250,00|12,-|'12,50|12 ¤|5,|12 €|3 EUR|10 %",
  number("1.234"),
  number("0.5"),
);
const text = fc.oneof(
  blank,
  fc.string({ maxLength: 3 }).map<Cell>((cell) => cell),
  fc.constantFrom<Cell>(new JsonNumber("0.10"), false, new NestedValue("array")),
);

const rowsOf = fc.array(fc.tuple(key, digits, date, amount, text, text), { maxLength: 40 });
const optionsOf = fc.record<Partial<FieldOptions>>(
  {
    empty: fc.constantFrom("omit", "send"),
    only: fc.constantFrom("updates", "creates"),
    nulls: fc.constant(["NULL", "-"]),
    set: fc.constant(new Map([["source", "web"]])),
    drop: fc.constantFrom(["note"], ["num_commande"], ["cle"]),
    types: fc.constant(new Map([["x_amount", { kind: "amount" as const, decimal: "." as const }]])),
    pins: fc.constantFrom(
      { decimal: "," as const },
      { keyLiterals: ["NA", "-"] },
      { dateFormat: "DD/MM/YYYY" as const },
    ),
    fields: fc.constantFrom(
      new Map([["status", { default: "open" }]]),
      new Map([["status", { required: true, pattern: "[a-z]*" }]]),
      new Map([
        ["date_billed", { required: true }],
        ["x_amount", { required: true }],
      ]),
    ),
  },
  { requiredKeys: [] },
);

describe("the survey and the building of records", () => {
  it("judge every row alike, however the rows are cut into chunks", async () => {
    let settled = 0;
    await fc.assert(
      fc.asyncProperty(rowsOf, optionsOf, fc.constantFrom(1, 2, 7, 1000), async (rows, options, size) => {
        const found = surveyUnlessDoubtful(rows, options, size);
        if (found === undefined) return;
        settled++;
        const { counts } = found;
        const chunks = chunksOf(COLUMNS, rows, size);
        const { records, rejected, empty, problems } = await makeRecords(found.plan, chunks);
        expect(records.filter((record) => record.key !== undefined)).toHaveLength(counts.updates);
        expect(records.filter((record) => record.key === undefined)).toHaveLength(counts.creates);
        expect(empty).toHaveLength(counts.skipped);
        expect(rejected).toHaveLength(counts.invalid);
        expect(records.length + counts.skipped + counts.invalid).toBe(rows.length);
        expect(problems.slice(0, MAX_KEPT_PROBLEMS).map(placeOf)).toEqual(found.problems.map(placeOf));
        for (const record of records) {
          expect(
            Object.values(JSON.parse(recordJson(record))).every((value) => typeof value === "string"),
          ).toBe(true);
        }
      }),
      draws(100),
    );
    expect(settled).toBeGreaterThan(10);
  });
});

function surveyUnlessDoubtful(
  rows: readonly (readonly Cell[])[],
  options: Partial<FieldOptions>,
  size: number,
): FieldSettlement | undefined {
  try {
    return survey(csvReading(COLUMNS), chunksOf(COLUMNS, rows, size), options);
  } catch (error) {
    if (error instanceof RecPushError && error.kind === "input") return undefined;
    throw error;
  }
}

function placeOf({ line, column, field, value }: FieldSettlement["problems"][number]): unknown {
  return [line, column, field, value];
}
