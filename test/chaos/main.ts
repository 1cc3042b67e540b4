import { parseArgs } from "node:util";
import { liveWorlds } from "./counters.ts";
import { liveNights } from "./nights/shop-life.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

const USAGE = `npm run chaos -- --kills N | --pauses N | --shards N | --nights N [--seed S] [--life W]

Each begins with the W-th world of the seed S, and ends with the first thing that must not happen.

  --kills   kills the built command N times. Each file is pushed by a person who knows only what is printed: each next step is
            pasted into a shell (200)
  --pauses  machines with names, boots and clocks of their own share one state directory; a holder of the table's lock is
            paused N times while another one pushes, then woken or killed; then a person follows what is printed
  --shards  files are planned and pushed in shards, several at once; an engine starts each again after a kill (N in all) and as
            its exit code asks, doubt is settled with the printed steps, and the plan is closed
  --nights  shops export N nights: their files grow, are mended, cut or written otherwise, commands are killed, answers are
            lost; what the service holds, by content and counted, is compared with the true orders
`;

const number = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    kills: number,
    nights: number,
    pauses: number,
    shards: number,
    seed: { ...number, default: "1" },
    life: { ...number, default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const [seed, first] = [Number(values.seed), Number(values.life)];
const { kills = "200", nights, pauses, shards } = values;

function live() {
  if (nights !== undefined) return liveNights(Number(nights), seed, first);
  const world = pauses !== undefined ? liveShared : shards !== undefined ? livePlan : livePasted;
  return liveWorlds(world, { kills: Number(pauses ?? shards ?? kills), seed: seed * 100_003, first });
}

if (values.help) process.stdout.write(USAGE);
else process.stdout.write(`nothing is found: ${JSON.stringify(await live())}\n`);
