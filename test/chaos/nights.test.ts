import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { newNightCounters } from "./nights/night-counters.ts";
import { liveNights } from "./nights/shop-life.ts";

const program = resolve("bin/rec-push.js");

describe.runIf(process.platform === "linux")("nights of exports", () => {
  it("create nothing twice, leave nothing out silently and come to an end", async () => {
    const counters = newNightCounters();
    const nights = atNight ? 12 : 3;
    await liveNights(nights, 1, { program }, counters);
    expect(counters).toMatchObject({ nights, twice: 0, lost: 0, untold: 0, stuck: 0 });
  }, 300_000);

  it.runIf(atNight).each(["fresh", "again"] as const)(
    "are seen to create twice by a shop that does it wrong: %s",
    async (wrong) => {
      const counters = newNightCounters();
      await liveNights(3, 20_161_109, { program, wrong, isCalm: true, isQuiet: true }, counters);
      expect(counters.twice).toBeGreaterThan(20);
    },
    300_000,
  );
});
