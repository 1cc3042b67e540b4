import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ChaosWorld } from "./chaos-world.ts";
import { newCounters, showCounters } from "./counters.ts";

describe.runIf(process.platform === "linux")("a command that is killed again and again", () => {
  it.each([
    ["bin/rec-push.js", 6, "csv"],
    ["bin/rec-push.js", 3, "xlsx"],
    // Pushes through `import { push }`.
    ["test/chaos/push-as-program.mjs", 3, "csv"],
  ] as const)(
    "creates nothing twice, loses nothing, names every doubt and leaves the last value of each key: %s %i %s",
    async (name, kills, format) => {
      const program = resolve(name);
      const counters = newCounters();
      for (let world = 1; counters.kills < kills; world++) {
        await ChaosWorld.live(20_161_107 + world * 2, counters, kills - counters.kills, program, format);
      }
      expect(showCounters(counters)).toBe(`kills=${kills} twice=0 lost=0 unnamed-doubt=0 stale-keys=0`);
    },
    300_000,
  );
});
