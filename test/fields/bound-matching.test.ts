import { describe, expect, it } from "vitest";
import { configWords, makeFile } from "../support/temp-files.ts";
import { runMain } from "../support/run-main.ts";

const ENDLESS = "(a+)+";

describe("matching with a pattern", () => {
  it("is stopped if it would not end, naming field, value and pattern, before the row is sent", async () => {
    const value = `${"a".repeat(40)}!`;
    const file = await makeFile("a.csv", `cle,note\nA0,${"a".repeat(30)}\nA1,${value}\n`);
    const rules = await configWords({ fields: { note: { pattern: ENDLESS } } });
    const argv = [file, "-t", "commandes", "--sandbox", ...rules];
    const { code, stderr } = await runMain(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`field note: matching "${value}" with the pattern "(a+)+" does not end`);
    expect(stderr).toContain("without a repeat inside a repeat");
  });
});
