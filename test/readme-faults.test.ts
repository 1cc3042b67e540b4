import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

/** The file that holds the test of each row, by the first words of the row. */
const TESTED: readonly (readonly [string, string])[] = [
  ["A gateway times out", "test/send/late-answers.test.ts"],
  ["A command ends without the answers", "test/cli/late-across-commands.test.ts"],
  ["A service answers twice", "test/send/answers-twice.test.ts"],
  ["A pattern takes exponential time", "test/fields/bound-matching.test.ts"],
  ["A pipe or a query", "test/cli/endless-input.test.ts"],
  ["An input that can be read only once", "test/cli/endless-input.test.ts"],
  ["A file, a name or an answer", "test/cli/not-shown.test.ts"],
  ["A token is in a URL", "test/cli/not-shown.test.ts"],
  ["The directory of temporary files", "test/survey/open-inputs.test.ts"],
  ["JSON has more than 2,000", "test/read/json/json-limits.test.ts"],
  ["A certificate does not verify", "test/cli/small-faults.test.ts"],
  ["`localhost` leads", "test/send/connection.test.ts"],
  ["A signal comes after", "test/cli/small-faults.test.ts"],
];

describe("README's table of faults", () => {
  it("has a test for each row", async () => {
    const readme = await readFile("README.md", "utf8");
    const [, section = ""] = readme.split("\n### Faults around a push\n");
    const [, , ...rows] = section
      .trim()
      .split(/\n(?!\|)/)[0]!
      .split("\n");
    expect(rows).toHaveLength(TESTED.length);
    for (const [at, [words, file]] of TESTED.entries()) {
      expect(rows[at]).toMatch(`| ${words}`);
      expect(await readFile(file, "utf8")).toContain("describe(");
    }
  });
});
