import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { liveChaos } from "./chaos-world.ts";
import { badOf, type Live, liveWorlds, newCounters, showCounters } from "./counters.ts";
import { liveNights } from "./nights/shop-life.ts";
import { livePasted } from "./pasted/pasted-world.ts";
import { livePlan } from "./shards/plan-world.ts";
import { liveShared } from "./shared/shared-world.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    pasted: { type: "boolean", default: false },
    nights: { type: "string" },
    pauses: { type: "string" },
    shards: { type: "string" },
    seed: { type: "string", default: "1" },
    program: { type: "string", default: "bin/rec-push.js" },
    format: { type: "string", default: "csv" },
    wrong: { type: "string" },
    life: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const seed = Number(values.seed);
if (values.help) {
  process.stdout
    .write(`npm run chaos -- --kills N --seed S [--pasted] [--life W] [--program FILE] [--format csv|xlsx]
npm run chaos -- --pauses N --seed S
npm run chaos -- --shards N --seed S [--life W]
npm run chaos -- --nights N --seed S [--life L] [--wrong fresh|again] [--program FILE]

Kills the built command N times, files and faults drawn by the seed, and compares with what the service holds. Every second
file, with --pasted each one, is pushed by a person who knows only what is printed: each next step is pasted into a shell. --life
begins with the W-th file of the seed. With --format xlsx the files are workbooks, none of which is pasted.

With --pauses, machines with names, boots and clocks of their own share one state directory; a holder of the table's lock is
paused N times while another one pushes, then woken or killed.

With --shards, files are planned and pushed in shards, several at once; an engine starts each again after a kill (N in all) and as its
exit code asks, doubt is settled with the printed steps, and the plan is closed or given up.

With --nights, shops export N nights: their files grow, are mended, cut or written otherwise, commands are killed, answers
are lost; what the service holds, by content and counted, is compared with the true orders. --life
lives only the L-th shop of the seed. --wrong pushes wrongly, so that the judge is seen to notice: with a fresh state every
night, or with --again. --program runs another build: build/binary/rec-push is the one
executable.
`);
} else if (values.nights !== undefined) {
  const wrong = values.wrong === "fresh" || values.wrong === "again" ? values.wrong : undefined;
  const counters = newCounters();
  const only = values.life === undefined ? undefined : Number(values.life);
  await liveNights(Number(values.nights), seed, { program: resolve(values.program), wrong }, counters, only);
  process.stdout.write(`${showCounters(counters)}\n`);
  process.exitCode = badOf(counters) === 0 ? 0 : 1;
} else {
  const format = values.format === "xlsx" ? "xlsx" : "csv";
  const program = { program: resolve(values.program), format } as const;
  const live: Live = (own, counters, kills, world) => {
    if (values.pauses !== undefined) return liveShared(own, counters, kills);
    if (values.shards !== undefined) return livePlan(own, counters, kills);
    // The printed commands call the installed `rec-push`, so a person who pastes them cannot run another program.
    const isPasted = values.pasted || (world % 2 === 0 && format === "csv");
    return isPasted ? livePasted(own, counters, kills) : liveChaos(own, counters, kills, program);
  };
  const kills = Number(values.pauses ?? values.shards ?? values.kills);
  const from = { kills, seed: seed * 100_003, first: Number(values.life ?? 1) };
  const counters = await liveWorlds(live, from, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(`${showCounters(counters)}\n`);
  process.exitCode = badOf(counters) === 0 ? 0 : 1;
}
