import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { type Live, liveWorlds } from "./counters.ts";
import { liveNights } from "./nights/shop-life.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

const TIMEOUT_MS = 300_000;

/** What is lived, the kills by day and by night, and the seed. */
const WORLDS: readonly (readonly [string, Live, number, number, number])[] = [
  ["by a person who pastes what is printed, and is cut off", livePasted, 2, 16, 12],
  ["by the shards of a plan, killed and started again by an engine", livePlan, 1, 10, 1],
  ["by machines that share a state directory, whose holders are paused", liveShared, 1, 8, 20_261_122],
];

describe.runIf(process.platform === "linux").concurrent("chaos", () => {
  it.each(WORLDS)(
    "creates nothing twice, loses nothing, names every doubt and leaves the last value of each key: %s",
    async (_, live, day, night, seed) => {
      const kills = atNight ? night : day;
      expect(await liveWorlds(live, { kills, seed })).toMatchObject({ kills });
    },
    TIMEOUT_MS,
  );

  it(
    "creates nothing twice, leaves nothing out silently and comes to an end: nights of exports",
    async () => {
      const nights = atNight ? 12 : 3;
      expect(await liveNights(nights, 1)).toMatchObject({ nights });
    },
    TIMEOUT_MS,
  );
});
