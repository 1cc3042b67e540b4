import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { liveWorlds, newCounters, showCounters } from "./counters.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

describe.runIf(process.platform === "linux")(
  "nothing is created twice, lost, stale or in doubt without a name",
  () => {
    it.each([
      ["by a person who pastes what is printed, and is cut off", livePasted, atNight ? 10 : 1, 12],
      ["by the shards of a plan, killed and started again by an engine", livePlan, atNight ? 10 : 1, 1],
      [
        "by machines that share a state directory, whose holders are paused",
        liveShared,
        atNight ? 8 : 1,
        20_261_122,
      ],
    ] as const)(
      "%s",
      async (_, live, kills, seed) => {
        const counters = await liveWorlds((own, found, left) => live(own, found, left), { kills, seed });
        expect(showCounters(counters)).toBe(`kills=${kills} twice=0 lost=0 unnamed-doubt=0 stale-keys=0`);
      },
      300_000,
    );

    it.runIf(atNight)(
      "but shards are seen to create twice if it is forgotten that they began",
      async () => {
        const counters = newCounters();
        // A kill may come before anything was sent.
        for (let world = 1; counters.twice === 0 && counters.kills < 60; world++)
          await livePlan(20_161_107 + world * 2, counters, 60, "forgets");
        expect(counters.twice).toBeGreaterThan(0);
      },
      300_000,
    );
  },
);
