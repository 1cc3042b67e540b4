import { describe, expect, it } from "vitest";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox, pushTo } from "../support/push-to-sandbox.ts";
import { configWords, makeFile } from "../support/temp-files.ts";

describe("compress in the config", () => {
  it("sends the same records as without it", async () => {
    const [plain, packed] = [await openSandbox(), await openSandbox()];
    const file = fixture("csv/orders-excel-fr.csv");
    expect((await pushTo(plain, [file])).code).toBe(0);
    expect((await pushTo(packed, [file, ...(await configWords({ compress: "gzip" }))])).code).toBe(0);
    // Whether creates or updates come first is left to the service.
    const sorted = (sandbox: typeof plain) =>
      heldBy(sandbox).toSorted((a, b) => (a["cle"]! < b["cle"]! ? -1 : 1));
    expect(sorted(packed)).toEqual(sorted(plain));
  });

  it("leaves batchBytes to count the unpacked bytes", async () => {
    const rows = Array.from({ length: 100 }, (_, index) => `A${index},${"x".repeat(90)}`);
    const file = await makeFile("rows.csv", `cle,state\n${rows.join("\n")}\n`);
    const sandbox = await openSandbox();
    const { code } = await pushTo(sandbox, [
      file,
      ...(await configWords({ compress: "gzip", batchBytes: 2000 })),
    ]);
    expect(code).toBe(0);
    expect(sandbox.requests().requests).toBeGreaterThanOrEqual(6);
  });

  it("is named if the service does not accept what is sent", async () => {
    const sandbox = await openSandbox({ faults: ["status=415"] });
    const file = await makeFile("rows.csv", "cle,state\nA1,x\n");
    const { code, stderr } = await pushTo(sandbox, [file, ...(await configWords({ compress: "gzip" }))]);
    expect(code).toBe(6);
    expect(stderr).toContain('leave "compress" out of the config');
  });

  it("takes gzip and nothing else", async () => {
    const file = await makeFile("rows.csv", "cle,state\nA1,x\n");
    const argv = [file, ...(await configWords({ compress: "zip" }))];
    const { code, stderr } = await pushTo(await openSandbox(), argv);
    expect(code).toBe(2);
    expect(stderr).toContain('tables.commandes.compress: "zip": expected gzip');
  });
});
