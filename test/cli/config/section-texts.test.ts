import { describe, expect, it } from "vitest";
import { mergeFields, sectionFields } from "../../../src/cli/config/apply-config.ts";

const fields = (of: object): ReturnType<typeof sectionFields> => sectionFields({ fields: of });

describe("mergeFields", () => {
  it("prefers the rules with priority, rule by rule, and joins the lists of cells that mean nothing", () => {
    const less = fields({
      state: { required: true, oneOf: ["a"], null: ["-"] },
      paid_amount: { type: "amount:," },
      note: { default: "x" },
    });
    const more = fields({
      state: { required: false, null: ["?"] },
      paid_amount: { default: "0" },
      code: { pattern: "X" },
    });
    expect(Object.fromEntries(mergeFields(less, more))).toEqual({
      state: { required: false, oneOf: ["a"], nulls: ["-", "?"] },
      paid_amount: { type: { kind: "amount", decimal: "," }, default: "0" },
      note: { default: "x" },
      code: { pattern: "X" },
    });
  });

  it("keeps one side if the other says nothing", () => {
    const some = fields({ state: { null: ["-"], required: true } });
    expect(mergeFields(some, fields({ state: {} }))).toEqual(some);
    expect(mergeFields(fields({ state: {} }), some)).toEqual(some);
    expect(mergeFields(new Map(), some)).toEqual(some);
  });
});
