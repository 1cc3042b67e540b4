import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { makeFile } from "../support/temp-files.ts";

/** Two of eight rows are invalid: a quarter. */
const ROWS = `cle,num_commande\n${[1, 2, 3, 4, 5, 6, "x", "y"].map((n, i) => `A${i},${n}\n`).join("")}`;

describe("--max-invalid", () => {
  it.each([
    ["2", 4, 6],
    ["1", 3, 0],
    ["0", 3, 0],
    ["25%", 4, 6],
    ["24.9%", 3, 0],
    ["100%", 4, 6],
  ])("%s ends with %i and %i records sent", async (limit, code, sent) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", ROWS);
    const result = await pushTo(sandbox, [file, "--on-invalid", "skip", "--max-invalid", limit]);
    expect(result.code).toBe(code);
    expect(heldBy(sandbox)).toHaveLength(sent);
    const told = `2 of 8 rows are invalid, more than --max-invalid ${limit}`;
    expect(result.stderr.includes(told)).toBe(code === 3);
  });

  it.each(["-1", "1.5", "101%", "many", "%"])("takes no %s", async (limit) => {
    const sandbox = await openSandbox();
    const file = await makeFile("a.csv", ROWS);
    const result = await pushTo(sandbox, [file, "--on-invalid", "skip", `--max-invalid=${limit}`]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("a share of them such as 1%");
  });

  it("asks for --on-invalid skip", async () => {
    const sandbox = await openSandbox();
    const result = await pushTo(sandbox, [await makeFile("a.csv", ROWS), "--max-invalid", "2"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("add --on-invalid skip");
  });
});
