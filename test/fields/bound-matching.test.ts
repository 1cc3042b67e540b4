import { describe, expect, it } from "vitest";
import { boundMatching, matches } from "../../src/fields/record/field-plan.ts";
import { configWords, makeFile } from "../support/temp-files.ts";
import { runMain } from "../support/run-main.ts";

const ENDLESS = "(a+)+";
const form = new RegExp(`^(?:${ENDLESS})$`, "u");
const match = { field: "note", form, pattern: ENDLESS, value: `${"a".repeat(40)}!` };

describe("matching with a pattern", () => {
  it("returns what the work returns", () => {
    expect(boundMatching(() => matches({ ...match, value: "aaa" }))).toBe(true);
    expect(() =>
      boundMatching(() => {
        throw new RangeError("of the work");
      }),
    ).toThrow(RangeError);
  });

  it("is stopped if it would not end, naming field, value and pattern", () => {
    expect(() => boundMatching(() => matches(match), 50)).toThrow(
      `field note: matching "${match.value}" with the pattern "(a+)+" does not end`,
    );
  });

  it("stops a push before the row is sent", async () => {
    const file = await makeFile("a.csv", `cle,note\nA1,${match.value}\n`);
    const rules = await configWords({ fields: { note: { pattern: ENDLESS } } });
    const argv = [file, "-t", "commandes", "--sandbox", ...rules];
    const { code, stderr } = await runMain(argv);
    expect(code).toBe(2);
    expect(stderr).toContain("without a repeat inside a repeat");
  });
});
