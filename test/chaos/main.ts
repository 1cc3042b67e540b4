import { parseArgs } from "node:util";
import { badOf, liveWorlds, newCounters, showCounters } from "./counters.ts";
import { liveNights } from "./nights/shop-life.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    nights: { type: "string" },
    pauses: { type: "string" },
    shards: { type: "string" },
    seed: { type: "string", default: "1" },
    life: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const seed = Number(values.seed);
if (values.help) {
  process.stdout.write(`npm run chaos -- --kills N --seed S [--life W]
npm run chaos -- --pauses N --seed S
npm run chaos -- --shards N --seed S [--life W]
npm run chaos -- --nights N --seed S [--life L]

Kills the built command N times, files and faults drawn by the seed, and compares with what the service holds. Each file is
pushed by a person who knows only what is printed: each next step is pasted into a shell. --life begins with the W-th file of the
seed.

With --pauses, machines with names, boots and clocks of their own share one state directory; a holder of the table's lock is
paused N times while another one pushes, then woken or killed; then a person follows what is printed.

With --shards, files are planned and pushed in shards, several at once; an engine starts each again after a kill (N in all) and as its
exit code asks, doubt is settled with the printed steps, and the plan is closed or given up.

With --nights, shops export N nights: their files grow, are mended, cut or written otherwise, commands are killed, answers
are lost; what the service holds, by content and counted, is compared with the true orders. --life lives only the L-th shop of the
seed.
`);
} else {
  const live = values.pauses !== undefined ? liveShared : values.shards !== undefined ? livePlan : livePasted;
  const kills = Number(values.pauses ?? values.shards ?? values.kills);
  const from = { kills, seed: seed * 100_003, first: Number(values.life ?? 1) };
  const only = values.life === undefined ? undefined : Number(values.life);
  const counters =
    values.nights === undefined
      ? await liveWorlds(live, from, (line) => process.stderr.write(`${line}\n`))
      : await liveNights(Number(values.nights), seed, newCounters(), only);
  process.stdout.write(`${showCounters(counters)}\n`);
  process.exitCode = badOf(counters) === 0 ? 0 : 1;
}
