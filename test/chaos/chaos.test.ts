import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { liveChaos } from "./chaos-world.ts";
import { type Live, liveWorlds, newCounters } from "./counters.ts";
import { liveNights } from "./nights/shop-life.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

const TIMEOUT_MS = 300_000;
const program = resolve("bin/rec-push.js");

const chaos =
  (format: "csv" | "xlsx"): Live =>
  (seed, counters, kills) =>
    liveChaos(seed, counters, kills, { program, format });

/** What is lived, the kills by day and by night, and the seed. */
const WORLDS: readonly (readonly [string, Live, number, number, number])[] = [
  ["by a command that is killed again and again", chaos("csv"), 1, 6, 20_161_107],
  ["by one with a workbook", chaos("xlsx"), 1, 3, 20_161_107],
  ["by a person who pastes what is printed, and is cut off", livePasted, 1, 10, 12],
  ["by the shards of a plan, killed and started again by an engine", livePlan, 1, 10, 1],
  ["by machines that share a state directory, whose holders are paused", liveShared, 1, 8, 20_261_122],
];

describe.runIf(process.platform === "linux").concurrent("chaos", () => {
  it.each(WORLDS)(
    "creates nothing twice, loses nothing, names every doubt and leaves the last value of each key: %s",
    async (_, live, day, night, seed) => {
      const kills = atNight ? night : day;
      expect(await liveWorlds(live, { kills, seed })).toEqual({ ...newCounters(), kills });
    },
    TIMEOUT_MS,
  );

  it(
    "creates nothing twice, leaves nothing out silently and comes to an end: nights of exports",
    async () => {
      const counters = newCounters();
      const nights = atNight ? 12 : 3;
      await liveNights(nights, 1, { program }, counters);
      expect(counters).toMatchObject({ nights, twice: 0, lost: 0, untold: 0, stuck: 0 });
    },
    TIMEOUT_MS,
  );

  it.runIf(atNight).each(["fresh", "again"] as const)(
    "is seen to create twice by a shop that does it wrong: %s",
    async (wrong) => {
      const counters = newCounters();
      await liveNights(3, 20_161_109, { program, wrong, isCalm: true, isQuiet: true }, counters);
      expect(counters.twice).toBeGreaterThan(20);
    },
    TIMEOUT_MS,
  );
});
