import { describe, expect, it } from "vitest";
import { CreateAllowance } from "../../src/send/traffic.ts";
import { creates } from "./support/records.ts";
import { seeded } from "./support/seeded.ts";
import { simulate } from "./support/simulate.ts";

describe("creates in flight", () => {
  it("become more by an eighth at a time", async () => {
    const { seen } = await simulate(0, () => () => ({ ms: 100 }), { records: creates(300) });
    const at = (ms: number): number =>
      Math.max(...seen.filter(({ atMs }) => atMs === ms).map((one) => one.inFlight));
    // The first one goes alone.
    expect([at(0), at(100), at(200), at(300), at(400)]).toEqual([1, 2, 4, 4, 5]);
    expect(Math.max(...seen.map(({ inFlight }) => inFlight))).toBe(32);
  });

  it.each([1, 2, 3, 4, 5])(
    "put few batches in doubt if a service cannot bear so many (seed %i)",
    async (seed) => {
      const random = seeded(seed);
      const { outcomes, ms } = await simulate(
        0,
        () =>
          ({ inFlight }) =>
            inFlight > 8 ? { ms: 5, status: 503 } : { ms: 25 + 50 * random() },
        { records: creates(600) },
      );
      expect(outcomes.filter((outcome) => outcome === "inDoubt").length).toBeLessThanOrEqual(7);
      expect(outcomes).toHaveLength(600);
      expect(ms).toBeLessThan((600 / 4) * 50);
    },
  );

  it("are as few as in the beginning after an overload", () => {
    const allowance = new CreateAllowance();
    for (let i = 0; i < 20; i += 1) allowance.end("answered");
    expect(allowance.limit).toBe(6);
    allowance.end("overloaded");
    expect(allowance.limit).toBe(4);
  });
});
