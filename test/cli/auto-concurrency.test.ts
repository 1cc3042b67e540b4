import { describe, expect, it } from "vitest";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

function rows(count: number): string {
  return `cle,num_commande\n${Array.from({ length: count }, (_, i) => `A${i},${551_000 + i}`).join("\n")}\n`;
}

describe("--concurrency", () => {
  it("finds the rate of a service that allows 100 requests a second, and sends every row once", async () => {
    const sandbox = await openSandbox({ faults: ["rate=100"] });
    const file = await makeFile("a.csv", rows(150));
    const { code } = await pushTo(sandbox, [file, "--batch-size", "1"]);
    expect(code).toBe(0);
    expect(heldBy(sandbox)).toHaveLength(150);
    // 32 may be in flight when the limit is first met. How few are refused after that, the simulated services of
    // test/send/limit hold: here it depends on the machine.
    const { requests, statuses } = sandbox.requests();
    expect(statuses["200"]).toBe(150);
    expect(requests - 150).toBeLessThanOrEqual(64);
  });

  it.each([
    [
      ["--concurrency", "some"],
      /--concurrency "some": expected auto, auto:N for at most N, or a whole number/,
    ],
    [["--concurrency", "auto:0"], /--concurrency "auto:0": expected auto, auto:N/],
  ])("refuses %j", async (argv, told) => {
    const { code, stderr } = await runMain([
      await makeFile("a.csv", rows(1)),
      "-t",
      "t",
      "--sandbox",
      ...argv,
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(told);
  });
});
