import { describe, expect, it } from "vitest";
import { newCounters, showCounters } from "../counters.ts";
import { PlanWorld } from "./plan-world.ts";

describe.runIf(process.platform === "linux")(
  "the shards of a plan, killed and started again by an engine",
  () => {
    it("send every row once, keep the order of each key and are closed into the ledger", async () => {
      const counters = newCounters();
      for (let world = 1; counters.kills < 10; world++)
        await PlanWorld.live(20_161_107 + world * 2, counters, 10 - counters.kills);
      expect(showCounters(counters)).toBe("kills=10 twice=0 lost=0 unnamed-doubt=0 stale-keys=0");
    }, 300_000);

    it("are seen to send creates twice if it is forgotten that they began", async () => {
      const counters = newCounters();
      // A kill may come before anything was sent.
      for (let world = 1; counters.twice === 0 && counters.kills < 60; world++)
        await PlanWorld.live(20_161_107 + world * 2, counters, 60, "forgets");
      expect(counters.twice).toBeGreaterThan(0);
    }, 300_000);
  },
);
