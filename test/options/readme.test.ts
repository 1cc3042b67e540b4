import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readmeTable } from "../../src/options/readme-table.ts";

/** The rows of the table below a heading of README, without the blanks that line its columns up. */
async function rowsBelow(heading: string): Promise<string[]> {
  const readme = await readFile("README.md", "utf8");
  const section = readme.slice(readme.indexOf(`\n## ${heading}\n`)).split("\n");
  const start = section.findIndex((line) => line.startsWith("|"));
  const end = section.findIndex((line, at) => at > start && !line.startsWith("|"));
  return section.slice(start + 2, end).map((line) => line.replaceAll(/ +/g, " "));
}

describe("README's table of options", () => {
  it("is that of the declarations", async () => {
    expect(await rowsBelow("Options")).toEqual(
      readmeTable().map(([options, about]) => `| ${options} | ${about} |`),
    );
  });
});
