import { describe, expect, it } from "vitest";
import { newCounters, showCounters } from "../counters.ts";
import { liveShared } from "./shared-world.ts";

describe.runIf(process.platform === "linux")(
  "machines that share a state directory, whose holders are paused",
  () => {
    it("create nothing twice, lose nothing and name every doubt", async () => {
      const counters = newCounters();
      for (let world = 1; counters.kills < 8; world++)
        await liveShared(20_261_122 + world * 2, counters, 8 - counters.kills);
      expect(showCounters(counters)).toBe("kills=8 twice=0 lost=0 unnamed-doubt=0 stale-keys=0");
    }, 300_000);
  },
);
