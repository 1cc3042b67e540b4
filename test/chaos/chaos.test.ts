import { describe, expect, it } from "vitest";
import { ChaosWorld } from "./chaos-world.ts";
import { newCounters, showCounters } from "./counters.ts";

describe.runIf(process.platform === "linux")("a command that is killed again and again", () => {
  it("makes nothing twice, loses nothing, names every doubt and leaves the last value of each key", async () => {
    const counters = newCounters();
    for (let world = 1; counters.kills < 12; world++) {
      await ChaosWorld.live(20_161_107 + world * 2, counters, 12 - counters.kills);
    }
    expect(showCounters(counters)).toBe("kills=12 twice=0 lost=0 unnamed-doubt=0 stale-keys=0");
  }, 300_000);
});
