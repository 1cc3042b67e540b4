import { describe, expect, it } from "vitest";
import type { FieldOptions } from "../../../src/fields/field-options.ts";
import { parseList, parseMap, parseTypes } from "../../../src/fields/field-rule-texts.ts";
import { readConstants } from "../../../src/fields/record/field-plan.ts";
import { FieldSurvey, MAX_KEPT_PROBLEMS } from "../../../src/fields/survey/field-survey.ts";
import { JsonNumber, NestedValue, type RowChunk } from "../../../src/model/rows.ts";
import { recordJson } from "../../../src/model/settlement.ts";
import { DEFAULT_FIELD_OPTIONS } from "../../support/field-options.ts";
import { recordsMaker } from "../../support/make-records.ts";
import { chunkOf, csvReading, failureOf, fieldOptions, jsonReading, survey } from "./survey-support.ts";

type Options = Partial<FieldOptions>;

function surveyCsv(columns: readonly string[], rows: readonly (readonly string[])[], options: Options = {}) {
  return survey(csvReading(columns), [chunkOf(columns, rows)], options);
}

function surveyJson(chunks: readonly RowChunk[], options: Options = {}) {
  return survey(jsonReading(), chunks, options);
}

describe("the counts of a survey", () => {
  it("add up to the rows read", () => {
    const columns = ["cle", "num_invoice", "note"];
    const rows = ["K1|1|x", "|2|x", "K1|3|x", "||", "K2||", "K3|x|x", "NULL|y|x"].map((row) =>
      row.split("|"),
    );
    const unreadable = [{ line: 9, reason: "it is too wide", start: 900, end: 1000 }];
    const chunk = { ...chunkOf(columns, rows), unreadable };
    const found = survey(csvReading(columns), [chunk]);
    const counts = { rows: 8, updates: 2, creates: 1, skipped: 2, invalid: 3, repeatedKeys: 1 };
    expect(found.counts).toMatchObject(counts);
    const places = ["7:2", "8:1", "8:2", "9:undefined"];
    expect(found.problems.map(({ line, column }) => `${line}:${column}`)).toEqual(places);
  });

  it("hold all invalid rows, the problems only the first", () => {
    const rows = Array.from({ length: 3 * MAX_KEPT_PROBLEMS }, () => ["x", "y"]);
    const found = surveyCsv(["num_invoice", "num_commande"], rows);
    expect(found.counts.invalid).toBe(rows.length);
    expect(found.problems).toHaveLength(MAX_KEPT_PROBLEMS);
    expect(found.problems[0]).toMatchObject({ line: 2, column: 1, header: "num_invoice", value: "x" });
  });

  it("say which kind --only forbids", () => {
    const rows = ["K|x|x", "|y|y"].map((row) => row.split("|"));
    const found = surveyCsv(["cle", "a", "b"], rows, { only: "updates" });
    expect(found.counts).toMatchObject({ updates: 1, creates: 0, invalid: 1 });
    expect(found.problems[0]).toMatchObject({ line: 3, hint: "--only updates allows updates only" });
  });
});

describe("the columns of a survey", () => {
  it("show format, what settled it, and three values that differ", () => {
    const lines = ["05/07/2016|x", "05/07/2016|", "26/03/2024|x", "|x", "01/02/2016|y", "02/02/2016|z"];
    const rows = lines.map((line) => line.split("|"));
    const [date, text] = surveyCsv(["date_billed", "a"], rows).columns;
    expect(date).toEqual({
      column: 1,
      header: "date_billed",
      field: "date_billed",
      type: "date",
      isOther: false,
      format: "DD/MM/YYYY",
      settledBy: 'line 4 "26/03/2024"',
      samples: [
        { before: "05/07/2016", after: "2016-07-05" },
        { before: "26/03/2024", after: "2024-03-26" },
        { before: "01/02/2016", after: "2016-02-01" },
      ],
    });
    expect(text).toMatchObject({ type: "text", format: undefined, settledBy: undefined });
    expect(text?.samples.map(({ before }) => before)).toEqual(["x", "y", "z"]);
  });
});

describe("the pins of a survey", () => {
  const FRENCH: Options = { types: parseTypes(["date_a=date:DD/MM/YYYY"], "--type") };

  it.each<[string, string, Options, string[]]>([
    [
      "an option for each column of dates",
      "26/03/2024|03/27/2024",
      {},
      ["--type date_a=date:DD/MM/YYYY", "--type date_b=date:MM/DD/YYYY"],
    ],
    ["the decimal mark", "||1 437,50", {}, ["--type a_amount=amount:,"]],
    ["nothing where nothing was inferred", "2024-03-26||437", {}, []],
    ["nothing that is pinned", "26/03/2024||1,50", { pins: { dateFormat: "DD/MM/YYYY", decimal: "," } }, []],
    ["what a pinned column leaves", "26/03/2024|27/03/2024", FRENCH, ["--type date_b=date:DD/MM/YYYY"]],
  ])("are %s", (_, row, options, expected) => {
    const { pins } = surveyCsv(["date_a", "date_b", "a_amount"], [row.split("|")], options);
    expect(pins.map(({ option }) => option)).toEqual(expected);
  });

  it("say what settled the format", () => {
    const { pins } = surveyCsv(["date_a"], [["26/03/2024"]]);
    expect(pins[0]).toEqual({
      what: "type",
      option: "--type date_a=date:DD/MM/YYYY",
      because: 'date_a is settled by line 2 "26/03/2024"',
    });
  });
});

it("damage in a text column is noted with its column, and the cells are sent as they are", () => {
  const rows = [["'5"], ["x"], ["'6"]];
  const { notices, plan } = surveyCsv(["libelle"], rows);
  const text = `column "libelle": 2 cells hold "'5" or the like (the first in line 2), sent as it is`;
  expect(notices).toMatchObject([{ text: expect.stringContaining(text) }]);
  const { records } = recordsMaker(plan)(chunkOf(["libelle"], rows));
  expect(records.map(recordJson)).toEqual(rows.map(([cell]) => JSON.stringify({ libelle: cell })));
});

describe("what stops a survey", () => {
  it("is a value in a column without a name, in one line with the other questions", () => {
    const rows = [["x", " "]];
    expect(surveyCsv(["a", ""], rows)).toMatchObject({ counts: { rows: 1, invalid: 0 } });
    const error = failureOf(() => surveyCsv(["a", ""], [...rows, ["y", "z"]]));
    expect(error).toMatchObject({
      kind: "input",
      code: "nameless-column",
      hint: "add --map 2=column_2\n--drop 2 leaves out column 2",
    });
    expect(error.message).toContain(
      'column 2 (no name) holds values and has no name; it would be column_2, text ("z")',
    );
  });

  it.each<[string, Options]>([
    ["a default for the key", { fields: new Map([["cle", { default: "K" }]]) }],
    ["a pattern for dates", { fields: new Map([["a", { type: { kind: "date" }, pattern: "x" }]]) }],
  ])("is %s, before any row is read", (_, options) => {
    const error = failureOf(() => new FieldSurvey(csvReading(["a"]), fieldOptions(options)));
    expect(error.kind).toBe("usage");
  });
});

describe("a survey of JSON", () => {
  it("takes members as they appear", () => {
    const columns = ["cle"];
    const reading = new FieldSurvey(jsonReading(), fieldOptions());
    reading.addChunk(chunkOf(columns, [["K1"]]));
    columns.push("num_commande", "date_x");
    reading.addChunk(chunkOf(columns, [["K2", new JsonNumber("5.51035e5"), "26/03/2024"]], 3));
    const found = reading.finish();
    expect(found.counts).toMatchObject({ rows: 2, updates: 1, skipped: 1 });
    expect(found.columns.map(({ field, type, format }) => [field, type, format])).toEqual([
      ["cle", "text", undefined],
      ["num_commande", "digits", undefined],
      ["date_x", "date", "DD/MM/YYYY"],
    ]);
    expect(found.columns[1]?.samples).toEqual([{ before: "5.51035e5", after: "551035" }]);
  });

  it("judges the members at the end, all at once", () => {
    const reading = new FieldSurvey(jsonReading(), DEFAULT_FIELD_OPTIONS);
    reading.addChunk(chunkOf(["clef", "Order No"], [["K", "1"]]));
    reading.addChunk(chunkOf(["clef", "Order No", "a b"], [["L", "1", "2"]]));
    const error = failureOf(() => reading.finish());
    expect(error.message).toContain('member "clef" may be the key cle');
    expect(error.hint).toContain('add --map "Order No=num_commande" --map "a b=a_b"');
  });

  it.each<[string, Options, string]>([
    ["a position", { map: parseMap(["1=x"], "--map") }, "unknown-column"],
    ["an unknown member", { drop: parseList(["b"], "--drop") }, "unknown-column"],
    ["an unknown field", { types: parseTypes(["b=date"], "--type") }, "unknown-column"],
  ])("refuses options that name %s", (_, options, code) => {
    const error = failureOf(() => surveyJson([chunkOf(["a"], [["x"]])], options));
    expect(error).toMatchObject({ kind: "usage", code });
  });

  it("asks where an option meant a member until one of exactly that name came", () => {
    const chunks = [chunkOf(["Order_No"], [["1"]]), chunkOf(["Order_No", "order_no"], [["1", "2"]])];
    const alike: Options = { map: parseMap(["order_no=a"], "--map") };
    const error = failureOf(() => surveyJson(chunks, alike));
    expect(error).toMatchObject({ kind: "input", code: "members-alike" });
    const exact: Options = { ...alike, drop: parseList(["Order_No"], "--drop") };
    expect(surveyJson(chunks, exact).columns.map(({ field }) => field)).toEqual([undefined, "a"]);
  });

  it("refuses a nested value in a member that is not dropped", () => {
    const nested = [["K", new NestedValue("object")]];
    const mixed = [...nested, ["L", "x"], ["M", new NestedValue("array")]];
    const declared: Options = { map: parseMap(["adresse=adresse"], "--map") };
    expect(surveyJson([chunkOf(["cle", "adresse"], mixed)], declared).problems).toMatchObject([
      { header: "adresse", hint: "--flatten sends its members, --drop adresse leaves it out" },
      { hint: "--drop adresse leaves it out" },
    ]);
    const error = failureOf(() => surveyJson([chunkOf(["cle", "adresse"], nested)]));
    expect(error).toMatchObject({ kind: "input", code: "nested-members" });
    expect(error.hint).toContain(
      "add --flatten\n--flatten sends adresse.x as adresse_x; --drop adresse leaves it out",
    );
    expect(failureOf(() => surveyJson([chunkOf(["cle", "adresse"], mixed)])).hint).toBe("add --drop adresse");
    const dropped = surveyJson([chunkOf(["cle", "adresse", "a"], [["K", new NestedValue("array"), "x"]])], {
      drop: ["adresse"],
    });
    expect(dropped.counts).toMatchObject({ invalid: 0, updates: 1 });
  });
});

const setTo = (field: string, text: string) => fieldOptions({ set: new Map([[field, text]]) });

describe("a constant", () => {
  it.each([
    ["date_billed", "2016-07-05"],
    ["actual_billable_amount", "-12.50"],
    ["actual_billable_amount", "0"],
    ["num_commande", "00123"],
    ["note", " as it is "],
    ["date_billed", ""],
  ])("of %s may be %j", (field, text) => {
    expect(readConstants(setTo(field, text)).set.get(field)).toBe(text);
  });

  it.each([
    ["date_billed", "05/07/2016", "write it as YYYY-MM-DD"],
    ["date_billed", "2016-02-31", "write it as YYYY-MM-DD"],
    ["actual_billable_amount", "12,50", "write it with a point and no grouping"],
    ["actual_billable_amount", "007", "write it with a point and no grouping"],
    ["num_commande", "12 345", "write digits only"],
  ])("of %s is not %j: %s", (field, text, hint) => {
    const usage = expect.objectContaining({ kind: "usage", code: "bad-option-value", hint });
    expect(() => readConstants(setTo(field, text))).toThrow(usage);
    const fields = new Map([[field, { default: text }]]);
    expect(() => readConstants(fieldOptions({ fields }))).toThrow(usage);
  });
});
