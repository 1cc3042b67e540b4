import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type ProcessResult, startProcess } from "../support/run-process.ts";
import { makeDirectory } from "../support/temp-files.ts";

/** What takes time in proportion to its size ends within a second or two; what does not takes more than this. */
const TIMEOUT_MS = 20_000;

/** Checks a file of this content. */
async function check(content: string, argv: readonly string[] = []): Promise<ProcessResult> {
  const file = join(await makeDirectory(), "a.csv");
  await writeFile(file, content);
  return startProcess(["check", file, ...argv]).ended;
}

describe("a file", { timeout: TIMEOUT_MS }, () => {
  it("may hold nothing but carriage returns for long", async () => {
    const directory = await makeDirectory();
    const files = Array.from({ length: 6 }, (_, at) => join(directory, `${at}.csv`));
    for (const file of files)
      await writeFile(file, `cle;num_commande\rK1;1\r${"\r".repeat(2_500_000)}K2;2\r`);
    const { code, stdout } = await startProcess(["check", ...files]).ended;
    expect(code).toBe(0);
    expect(stdout).toContain("12 rows read: 12 ready to send");
  });

  it("may have a row of many MB, over many lines", async () => {
    const { code, stdout } = await check(`cle;x\nK1;"${"y\n".repeat(24_000_000)}"\n`, [
      "--map",
      "x=x",
      "--max-row-bytes",
      "100000000",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("1 row read: 1 ready to send");
  });
});
