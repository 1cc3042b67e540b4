import { describe, expect, it } from "vitest";
import { newCounters, showCounters } from "../counters.ts";
import { livePasted } from "./pasted-world.ts";

describe.runIf(process.platform === "linux")("a person who pastes what is printed, and is cut off", () => {
  it("leaves every row in the service once, and of each key the last one", async () => {
    const counters = newCounters();
    for (let world = 1; counters.kills < 10; world++)
      await livePasted(20_261_122 + world * 2, counters, 10 - counters.kills);
    expect(showCounters(counters)).toBe("kills=10 twice=0 lost=0 unnamed-doubt=0 stale-keys=0");
  }, 300_000);
});
