import fc from "fast-check";
import { expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { RecPushError } from "../../../src/model/failure.ts";
import { type Cell, JsonNumber, NestedValue, type Row, type RowChunk } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { MadeRows } from "../../support/made-rows.ts";
import { recordsMaker } from "../../support/make-records.ts";
import { chunkOf, jsonReading, survey } from "../survey/survey-support.ts";
import { draws } from "../../support/draws.ts";

const COLUMNS = ["a", "cle", " ", "left_out", "num_commande", "date_billed", "b", "needed"];
const OPTIONS: Partial<FieldOptions>[] = [
  {},
  { drop: ["left_out"] },
  { empty: "send", nulls: ["-"] },
  { only: "updates" },
  {
    set: new Map([["c", "1"]]),
    fields: new Map([
      ["b", { default: "d" }],
      ["z", { default: "z" }],
    ]),
  },
  {
    fields: new Map([
      ["needed", { required: true }],
      ["num_commande", { required: true }],
    ]),
  },
];

const drawCell = fc.constantFrom<Cell>(
  "",
  " ",
  "-",
  "x",
  "A1",
  "12",
  "5/7/2016",
  null,
  true,
  new JsonNumber("3"),
  new NestedValue("array"),
  undefined,
  undefined,
  undefined,
);
const drawRows = fc.array(fc.array(drawCell, { minLength: COLUMNS.length, maxLength: COLUMNS.length }), {
  minLength: 1,
  maxLength: 5,
});

/** The same row with a list of its columns. */
function listed({ cells, ...place }: Row): Row {
  const columns = COLUMNS.flatMap((_, column) => (cells[column] === undefined ? [] : [column]));
  return { ...place, cells: columns.map((column) => cells[column]), columns };
}

/** The outcome of the rows, or the reason why the whole input is refused. */
function outcomeOf(chunk: RowChunk, options: Partial<FieldOptions>): unknown {
  try {
    const { plan, ...found } = survey(jsonReading(), [chunk], {
      pins: { dateFormat: "DD/MM/YYYY" },
      ...options,
    });
    const { records, rejected, empty } = recordsMaker(plan)(chunk);
    return { found, records: records.map(recordJson), rejected, empty };
  } catch (error) {
    if (error instanceof RecPushError) return error.message;
    throw error;
  }
}

it("a row that lists its columns is judged and sent as one that does not", () => {
  fc.assert(
    fc.property(drawRows, fc.constantFrom(...OPTIONS), (rows, options) => {
      const whole = chunkOf(COLUMNS, rows);
      const few = { ...whole, rows: new MadeRows([...whole.rows].map(listed)) };
      expect(outcomeOf(few, options)).toEqual(outcomeOf(whole, options));
    }),
    draws(200),
  );
});
