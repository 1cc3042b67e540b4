import { parseArgs } from "node:util";
import { areClean, newCounters, showCounters } from "./counters.ts";
import { ChaosWorld } from "./chaos-world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(
    "npm run chaos -- --kills N --seed S\n\nKills the built command N times, files and faults drawn by the seed, and compares with what the service holds.\n",
  );
} else {
  const counters = newCounters();
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  for (let world = 1; counters.kills < kills; world++) {
    await ChaosWorld.live(seed * 100_003 + world * 2, counters, kills - counters.kills);
    process.stderr.write(`world ${world}: ${showCounters(counters)}\n`);
  }
  process.stdout.write(`${showCounters(counters)}\n`);
  process.exitCode = areClean(counters) ? 0 : 1;
}
