import { describe, expect, it } from "vitest";
import { readConstants } from "../../../src/fields/record/field-plan.ts";
import { fieldOptions } from "../survey/survey-support.ts";

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
    const usage = expect.objectContaining({ kind: "usage", code: "constant-unreadable", hint });
    expect(() => readConstants(setTo(field, text))).toThrow(usage);
    const fields = new Map([[field, { default: text }]]);
    expect(() => readConstants(fieldOptions({ fields }))).toThrow(usage);
  });

  it("is no key, which would make many rows one record", () => {
    const fields = new Map([["cle", { default: "K1" }]]);
    expect(() => readConstants(fieldOptions({ fields }))).toThrow(
      expect.objectContaining({ code: "constant-key" }),
    );
  });
});
