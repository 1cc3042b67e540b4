import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { judgeClean } from "./tables/judge-clean.ts";
import { judgeTables } from "./tables/judge-tables.ts";

function order(files: number) {
  const directory = mkdtempSync(join(tmpdir(), "rec-push-tables-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { first: 1, files, directory, commandLine: main };
}

describe("drawn tables", () => {
  it("are read right, or asked about", async () => {
    const { lines } = await judgeTables(order(60));
    // Three files in a hundred hide a total beside a free name: the rule of odd rows does not see it.
    expect(lines.slice(0, -1).filter((line) => !/\[subtotals\]/.test(line))).toEqual([]);
    expect(lines.length - 1).toBeLessThanOrEqual(2);
  });

  it("are hardly asked about where they are clean", async () => {
    const { lines, isHeld } = await judgeClean(order(60));
    expect(lines.slice(0, -1)).toEqual([]);
    expect(isHeld).toBe(true);
  });
});
