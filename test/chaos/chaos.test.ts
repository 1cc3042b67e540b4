import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { atNight } from "../support/draws.ts";
import { liveChaos } from "./chaos-world.ts";
import { liveWorlds, showCounters } from "./counters.ts";

type Live = Parameters<typeof liveWorlds>[0];

const chaos =
  (name: string, format: "csv" | "xlsx"): Live =>
  (seed, counters, kills) =>
    liveChaos(seed, counters, kills, { program: resolve(name), format });

describe.runIf(process.platform === "linux")("a command that is killed again and again", () => {
  it.each<[string, Live, number]>([
    ["the command", chaos("bin/rec-push.js", "csv"), atNight ? 6 : 1],
    ["of a workbook", chaos("bin/rec-push.js", "xlsx"), atNight ? 3 : 1],
    ["through `import { push }`", chaos("test/chaos/push-as-program.mjs", "csv"), atNight ? 3 : 1],
  ])(
    "creates nothing twice, loses nothing, names every doubt and leaves the last value of each key: %s",
    async (_, live, kills) => {
      const counters = await liveWorlds(live, { kills, seed: 20_161_107 });
      expect(showCounters(counters)).toBe(`kills=${kills} twice=0 lost=0 unnamed-doubt=0 stale-keys=0`);
    },
    300_000,
  );
});
