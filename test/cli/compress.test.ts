import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";

describe("--compress", () => {
  it("sends the same records as without it", async () => {
    const [plain, packed] = [await openSandbox(), await openSandbox()];
    const file = fixture("csv/orders-excel-fr.csv");
    expect((await pushTo(plain, [file])).code).toBe(0);
    expect((await pushTo(packed, [file, "--compress", "gzip"])).code).toBe(0);
    // Creates and updates travel side by side.
    const texts = (sandbox: Sandbox): readonly string[] =>
      heldBy(sandbox).map((record) => JSON.stringify(record));
    expect(texts(packed).toSorted()).toEqual(texts(plain).toSorted());
  });

  it("leaves --batch-bytes to count the unpacked bytes", async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `A${index},${"x".repeat(90)}`);
    const file = await makeFile("rows.csv", `cle,state\n${rows.join("\n")}\n`);
    const sandbox = await openSandbox();
    const { code } = await pushTo(sandbox, [file, "--compress", "gzip", "--batch-bytes", "2000"]);
    expect(code).toBe(0);
    expect(sandbox.requests().requests).toBeGreaterThanOrEqual(6);
  });

  it("is named if the service does not accept what is sent", async () => {
    const sandbox = await openSandbox({ faults: ["status=415"] });
    const file = await makeFile("rows.csv", "cle,state\nA1,x\n");
    const { code, stderr } = await pushTo(sandbox, [file, "--compress", "gzip"]);
    expect(code).toBe(6);
    expect(stderr).toContain("leave out --compress");
  });

  it("takes gzip and nothing else", async () => {
    const { code, stderr } = await runMain(["x.csv", "-t", "t", "--sandbox", "--compress", "zip"]);
    expect(code).toBe(2);
    expect(stderr).toContain('--compress "zip": expected gzip');
  });
});
