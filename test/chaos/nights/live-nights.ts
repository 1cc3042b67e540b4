import { createDraw } from "../random.ts";
import { showNights, type NightCounters } from "./night-counters.ts";
import { ShopLife, type NightsPlan } from "./shop-life.ts";

/** Lives shops one after the other until the number of nights is reached, or one given shop only. */
export async function liveNights(
  nights: number,
  seed: number,
  plan: NightsPlan,
  counters: NightCounters,
  only?: number,
): Promise<void> {
  for (let life = only ?? 1; counters.nights < nights; life++) {
    const own = seed * 100_003 + life * 2;
    const length = Math.min(createDraw(own + 1).between(12, 30), nights - counters.nights);
    await ShopLife.live(own, length, plan, counters);
    if (!plan.isQuiet) process.stderr.write(`life ${life}: ${showNights(counters)}\n`);
    if (only !== undefined) return;
  }
}
